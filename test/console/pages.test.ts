import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, openSite, type Site, type View } from "./browser.ts";
import { populate, type World } from "./world.ts";

let site: Site;
let world: World;

beforeAll(async () => {
  site = await openSite();
  world = await populate(site);
});

afterAll(() => site.close());

/** The pages: the path, the heading, and a text that shows that the API's answer is there. */
const PAGES: readonly [name: string, path: (w: World) => string, heading: RegExp, text: RegExp][] =
  [
    ["the overview", () => "/console/", /Overview/, /of 4,096 addresses in use/],
    ["an empty space", () => "/console/spaces/empty/", /Overview/, /has no pools/],
    ["a pool by fill", () => "/console/pools/pods", /Pool pods/, /of 64 blocks are claimed/],
    ["a pool by host", () => "/console/pools/pods?by=host", /Pool pods/, /node-5/],
    ["a pool as a table", () => "/console/pools/pods?by=table", /Pool pods/, /Cooling/],
    ["a pool of IPv6", () => "/console/pools/wide", /Pool wide/, /× 10¹⁷ blocks are claimed/],
    ["a block", (w) => `/console/blocks/${w.pod.block}`, /Block 10\.64/, /shop\/web-0/],
    ["an address", (w) => `/console/addresses/${w.pod.address}`, /Address 10\.64/, /Generation/],
    ["one in quarantine", (w) => `/console/addresses/${w.quarantined}`, /Address/, /quarantined/],
    ["a host", () => "/console/hosts/node-0", /Host node-0/, /zone/],
    ["a handle", (w) => `/console/handles/${w.pod.handle}`, /Handle shop\/web-0/, /node-0/],
    ["a search of a network", () => "/console/search?q=10.0.0.0/8", /Search/, /old/],
    ["a search without a find", () => "/console/search?q=nobody", /Search/, /Nothing has this/],
    ["the jobs", () => "/console/jobs", /Jobs/, /pool\.release/],
    ["a job", (w) => `/console/jobs?id=${w.job}`, /Job/, /pool\.release/],
    ["the reservations", () => "/console/reservations", /Reservations/, /routers/],
    ["the alarms", () => "/console/alarms", /Alarms/, /No threshold is crossed|Since/],
    ["no page", () => "/console/nowhere", /There is no such page/, /leads to no page/],
  ];

const VIEWS: readonly Required<Pick<View, "width" | "scheme">>[] = [
  { width: 1_280, scheme: "light" },
  { width: 360, scheme: "dark" },
];

describe.each(VIEWS)("at $width px, $scheme", (view) => {
  it.each(PAGES)(
    "%s shows what the API has, and axe finds nothing",
    async (_, path, heading, text) => {
      const { page, errors, origins } = await site.open(path(world), view);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.locator("main").getByText(text).first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(errors).toEqual([]);
      expect([...origins]).toEqual([site.url]);
      const isWider = "document.documentElement.scrollWidth > innerWidth";
      expect(await page.evaluate(isWider)).toBe(false);
      await page.close();
    },
  );
});

describe("the search", () => {
  it.each([
    ["an address", (w: World) => w.pod.address, /Address/],
    ["a block, beside its pool,", (w: World) => w.pod.block, /Search 10\.64/],
    ["a handle", (w: World) => w.pod.handle, /Handle shop\/web-0/],
    ["a host", () => "node-3", /Host node-3/],
    ["a pool", () => "wide", /Pool wide/],
  ])("finds %s by the text that names it", async (_, text, heading) => {
    const { page } = await site.open("/console/");
    // The key works as soon as the page has what it shows.
    await page.getByText("of 4,096 addresses in use").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type(text(world));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.close();
  });

  it("is a page to which the way back leads from its only find", async () => {
    const { page } = await site.open("/console/jobs");
    await page.getByRole("searchbox").fill("node-3");
    await page.getByRole("searchbox").press("Enter");
    await page.getByRole("heading", { name: "Host node-3" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Search node-3" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await page.close();
  });
});

describe("the colours", () => {
  it("follow the choice, which a reload keeps", async () => {
    const { page } = await site.open("/console/");
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByLabel("Colours").selectOption("dark");
    expect(await ground()).not.toBe(light);
    await page.reload();
    expect(await page.getByLabel("Colours").inputValue()).toBe("dark");
    expect(await ground()).not.toBe(light);
    await page.close();
  });
});
