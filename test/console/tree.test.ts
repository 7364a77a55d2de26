import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, openSite, type Site } from "./browser.ts";

let site: Site;

beforeAll(async () => {
  site = await openSite();
  const put = (name: string, pool: object) => site.api("PUT", `/v1/pools/${name}`, pool);
  const take = (handle: string, cidr: string) => site.api("POST", "/v1/prefixes", { handle, cidr });
  const prefixes = { assign: "prefixes", assignmentMode: "Manual" };
  await put("region", { cidr: "10.0.0.0/8", blockSize: 16, ...prefixes });
  await take("cluster-7", "10.7.0.0/16");
  await put("cluster-7", { cidr: "10.7.0.0/16", blockSize: 24, parent: "region", ...prefixes });
  await take("pods-7", "10.7.1.0/24");
  await put("pods-7", { cidr: "10.7.1.0/24", parent: "cluster-7" });
  await put("lone", { cidr: "192.168.0.0/24" });
  const assign = { host: "node-1", ipv4: 3, handle: "web", pools: ["pods-7"] };
  await site.api("POST", "/v1/assign", assign);
  for (let i = 0; i < 22; i++)
    await site.api("PUT", `/v1/spaces/space-${i + 10}/pools/main`, { cidr: "10.0.0.0/24" });
  await site.api("POST", "/v1/spaces/space-10/assign", { host: "h", ipv4: 5, handle: "five" });
});

afterAll(() => site.close());

describe("the pools of the overview", () => {
  it("stand below the pools of whose prefixes they are made, with the use below each rolled up", async () => {
    const { page } = await site.open("/console/");
    const region = page.getByRole("list", { name: "Pools made of prefixes of region" });
    const cluster = region.getByRole("list", { name: "Pools made of prefixes of cluster-7" });
    await page.getByText("2 pools below region: 3 of 256 addresses in use").waitFor();
    await region.getByText("1 pool below cluster-7: 3 of 256 addresses in use").waitFor();
    await cluster.getByRole("link", { name: "pods-7" }).waitFor();
    await cluster.getByText("3 of 256 addresses in use").waitFor();
    expect(await page.getByRole("link", { name: "pods-7" }).count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 900 });
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    expect(await axeFindings(page)).toEqual([]);
    const isWider = "document.documentElement.scrollWidth > innerWidth";
    expect(await page.evaluate(isWider)).toBe(false);
    await cluster.getByRole("link", { name: "pods-7" }).click();
    await page.getByRole("heading", { level: 1, name: "Pool pods-7" }).waitFor();
    await page.getByText("a prefix of").getByRole("link", { name: "cluster-7" }).click();
    await page.getByRole("heading", { level: 1, name: "Pool cluster-7" }).waitFor();
    const below = page.getByRole("region", { name: "Pools below" });
    await below.getByText("1 pool below cluster-7: 3 of 256 addresses in use").waitFor();
    await below.getByRole("link", { name: "pods-7" }).click();
    await page.getByRole("heading", { level: 1, name: "Pool pods-7" }).waitFor();
    expect(await below.count()).toBe(0);
    await page.close();
  });
});

describe("the spaces", () => {
  it("are a list to choose from, in which the first ones are counted, each by one request", async () => {
    const counted: string[] = [];
    const { page, errors } = await site.open("/console/", {
      prepare: async (prepared) => {
        prepared.on("request", (request) => {
          const { pathname } = new URL(request.url());
          if (/^\/v1\/spaces\/.*utilization$/.test(pathname)) counted.push(pathname);
        });
      },
    });
    await page.getByRole("link", { name: "Space default" }).click();
    await page.getByRole("heading", { level: 1, name: "Spaces" }).waitFor();
    await page.getByText(/^As of/).waitFor();
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("space-10")
      .getByRole("img", { name: /^5 in use, .*251 free, of 256$/ })
      .waitFor();
    await row("space-10")
      .getByText(/^\d\d:\d\d:\d\d UTC$/)
      .waitFor();
    await row("space-31").getByText("not yet").waitFor();
    // The default space is counted without its name.
    expect(counted.length).toBe(19);
    await page.getByRole("button", { name: "Count 3 more spaces" }).click();
    await row("space-31").getByText("256").first().waitFor();
    expect(counted.length).toBe(22);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "space-10" }).click();
    await page.getByText("1 pool in the space space-10").waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it("open by their name for who may not list them", async () => {
    const { page } = await site.open("/console/spaces", {
      prepare: (prepared) =>
        prepared.route("**/v1/spaces?*", (route) =>
          route.fulfill({
            status: 403,
            json: { code: "forbidden", detail: "The role reader is required in every space." },
          }),
        ),
    });
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Open a space by its name").fill("space-11");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("1 pool in the space space-11").waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/console/spaces/space-11/");
    await page.close();
  });
});
