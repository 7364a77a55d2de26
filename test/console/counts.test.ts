import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSite, type Page, type Site } from "./browser.ts";
import { populate } from "./world.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  await populate(site);
  await site.api("POST", "/v1/assign", {
    host: "windows",
    ipv4: 1,
    handle: "windows/pod",
    hostReserved: { start: 3, end: 1 },
  });
});

afterAll(() => site.close());

/** The words of the pages for the counts of the API. */
const WORDS = {
  inUse: "in use",
  hostReserved: "host-reserved",
  cooling: "cooling or quarantined",
  reserved: "reserved",
  available: "free",
  capacity: "in all",
};

/** Returns the counts of the API in the words of a page, without those that are nothing. */
async function countsOf(pool: string): Promise<Readonly<Record<string, string>>> {
  const [counts] = (await site.api("GET", `/v1/utilization?pool=${pool}`)).pools;
  return Object.fromEntries(
    Object.entries(WORDS).flatMap(([name, word]) =>
      Number(counts[name]) > 0 ? [[word, Number(counts[name]).toLocaleString("en")]] : [],
    ),
  );
}

/** Returns the counts below a bar. */
async function legendOf(
  within: ReturnType<Page["locator"]>,
): Promise<Readonly<Record<string, string>>> {
  const texts = await within
    .getByRole("list", { name: "Counts" })
    .getByRole("listitem")
    .allTextContents();
  return Object.fromEntries(
    texts.map((text) => /^\s*(\S+) (.*)$/.exec(text)?.slice(1).reverse() ?? [text, ""]),
  );
}

const numberIn = (text = "0") => Number(text.replaceAll(",", ""));

describe("the counts of a pool", () => {
  it("are those of the API on the overview and on the page of the pool, in the same words", async () => {
    const wanted = await countsOf("pods");
    expect(Object.keys(wanted)).toEqual(Object.values(WORDS));
    const { page } = await site.open("/console/");
    const card = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: "pods" }) });
    await expect.poll(() => legendOf(card.first())).toEqual(wanted);
    await page.getByRole("link", { name: "pods", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Pool pods" }).waitFor();
    // Until the map is read, the counts are those of a part of the pool.
    await expect.poll(() => legendOf(page.locator("main"))).toEqual(wanted);
    await page.close();
  });

  it("add up to all of its addresses", async () => {
    const { page } = await site.open("/console/pools/pods");
    await page.getByText(/^\d+ of 64 blocks are claimed/).waitFor();
    const { "in all": all, ...shares } = await legendOf(page.locator("main"));
    expect(Object.values(shares).reduce((sum, text) => sum + numberIn(text), 0)).toBe(
      numberIn(all),
    );
    await page.close();
  });

  it("on the overview are those of now, though no reclaim has run since", async () => {
    const { page } = await site.open("/console/");
    await page.getByText("of 4,096 addresses in use").waitFor();
    await site.scheduledRuns.reclaim();
    await site.api("POST", "/v1/assign", { host: "node-0", ipv4: 20, handle: "twenty" });
    const { "in use": wanted = "" } = await countsOf("pods");
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText(`${wanted} of 4,096 addresses in use`).waitFor();
    await page.close();
  });
});

describe("the overview of 60 pools", () => {
  beforeAll(async () => {
    for (let i = 0; i < 60; i++)
      await site.api("PUT", `/v1/spaces/many/pools/p-${i}`, { cidr: `10.${i}.0.0/24` });
  });

  it("takes ten requests at most, and counts each pool", async () => {
    const requests: string[] = [];
    const { page } = await site.open("/console/spaces/many/", {
      prepare: async (prepared) => {
        prepared.on("request", (request) => {
          if (new URL(request.url()).pathname.startsWith("/v1/")) requests.push(request.url());
        });
      },
    });
    await page.getByText("60 pools in the space many").waitFor();
    await expect.poll(() => page.getByText("of 256 addresses in use").count()).toBe(50);
    expect(requests.length).toBeLessThanOrEqual(10);
    await page.close();
  });
});
