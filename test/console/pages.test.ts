import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, openSite, type Site } from "./browser.ts";
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
    [
      "a part of a pool",
      () => "/console/pools/pods?within=10.64.6.0%2F22",
      /Pool pods/,
      /^10\.64\.6\.0 to 10\.64\.9\.255$/,
    ],
    ["a pool as a table", () => "/console/pools/pods?by=table", /Pool pods/, /Cooling/],
    ["a pool of IPv6", () => "/console/pools/wide", /Pool wide/, /× 10¹⁷ blocks are claimed/],
    ["a block", (w) => `/console/blocks/${w.pod.block}`, /Block 10\.64/, /shop\/web-0/],
    [
      "an address",
      (w) => `/console/addresses/${w.pod.address}`,
      /Address 10\.64/,
      /^Attributes and active owner$/,
    ],
    ["one in quarantine", (w) => `/console/addresses/${w.quarantined}`, /Address/, /quarantined/],
    ["the hosts", () => "/console/hosts", /Hosts/, /^node-5$/],
    ["a host", () => "/console/hosts/node-0", /Host node-0/, /zone/],
    ["a handle", (w) => `/console/handles/${w.pod.handle}`, /Handle shop\/web-0/, /node-0/],
    ["a search of a network", () => "/console/search?q=10.0.0.0/8", /Search/, /old/],
    ["a search without a find", () => "/console/search?q=nobody", /Search/, /Nothing has this/],
    [
      "a search by conditions",
      () => "/console/search?q=pool%3Dpods+pod%3Dweb-0",
      /Search pool=pods pod=web-0/,
      /^1 address meets all conditions/,
    ],
    ["the jobs", () => "/console/jobs", /Jobs/, /pool\.release/],
    ["a job", (w) => `/console/jobs?id=${w.job}`, /Job/, /pool\.release/],
    ["the events", () => "/console/events", /Events/, /^node-0$/],
    ["the check", () => "/console/check", /Check/, /proves the invariants/],
    [
      "a reservation",
      () => "/console/reservations?name=routers",
      /Reservation routers/,
      /10\.64\.0\.0/,
    ],
    ["the reservations", () => "/console/reservations", /Reservations/, /routers/],
    ["the alarms", () => "/console/alarms", /Alarms/, /No threshold is crossed|Since/],
    ["the settings", () => "/console/settings", /Settings/, /No quota limits this space/],
    ["no page", () => "/console/nowhere", /There is no such page/, /Page not found/],
  ];

describe("a page", () => {
  it.each(PAGES)(
    "%s shows what the API has, and axe finds nothing, light and wide or dark and at 360 pixels",
    async (_, path, heading, text) => {
      const { page, errors, origins } = await site.open(path(world));
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.locator("main").getByText(text).first().waitFor();
      const isWider = "document.documentElement.scrollWidth > innerWidth";
      expect(await axeFindings(page)).toEqual([]);
      await expect.poll(() => page.evaluate(isWider)).toBe(false);
      await page.setViewportSize({ width: 360, height: 900 });
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect(await axeFindings(page)).toEqual([]);
      await expect.poll(() => page.evaluate(isWider)).toBe(false);
      expect(errors).toEqual([]);
      expect([...origins]).toEqual([site.url]);
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
    await page.getByLabel(/^Search for/).fill("node-3");
    await page.getByLabel(/^Search for/).press("Enter");
    await page.getByRole("heading", { name: "Host node-3" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Search node-3" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    await page.close();
  });
});

describe("what happened", () => {
  it("is in the history of an address, the newest first", async () => {
    const { page } = await site.open(`/console/addresses/${world.quarantined}?live=1`);
    const rows = page.getByRole("region", { name: "History" }).getByRole("row");
    await expect
      .poll(() => rows.locator("td:nth-child(2)").allTextContents())
      .toEqual(["AddressConflict", "AddressReleased", "AddressAssigned"]);
    await page.close();
  });

  it("is in the history of a handle that has nothing any more", async () => {
    const { page } = await site.open("/console/handles/shop/web-1?live=1");
    await page.getByText("This handle has no addresses.").waitFor();
    const rows = page.getByRole("region", { name: "History" }).getByRole("row");
    await rows
      .filter({ hasText: "AddressReleased" })
      .getByRole("link", { name: /10\.64/ })
      .waitFor();
    await page.close();
  });

  it("comes to the page of events while it is open, which shows one type on request", async () => {
    const { page } = await site.open("/console/events");
    await page.getByRole("row").filter({ hasText: "AddressAssigned" }).first().waitFor();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await site.api("POST", "/v1/assign", { host: "node-1", ipv4: 1, handle: "latest" });
    await page.getByRole("row").filter({ hasText: "latest" }).waitFor();
    // It came in the stream that was open.
    expect(requests).toEqual([]);
    await page.getByLabel("Type").selectOption("PoolCreated");
    await page.getByRole("row").filter({ hasText: "latest" }).waitFor({ state: "detached" });
    await expect.poll(() => new URL(page.url()).search).toBe("?type=PoolCreated");
    await page.close();
  });
});

describe("the check", () => {
  it("proves the invariants over all items", async () => {
    const { page } = await site.open("/console/check");
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText(/Every invariant holds for [\d,]{3,} items/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });

  it("shows what it finds in two reads", async () => {
    const { page } = await site.open("/console/check", {
      prepare: (prepared) =>
        prepared.route("**/v1/contents*", async (route) => {
          const response = await route.fetch();
          const body = await response.json();
          body.contents.unreadable = [{ key: "pool main", reason: "its format is 99" }];
          await route.fulfill({ response, json: body });
        }),
    });
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText(/\d findings that must never occur/).waitFor();
    await page.getByText("pool main: its format is 99").first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.close();
  });
});

describe("the hosts", () => {
  it("are all listed at once by name, with their use, and an empty search leads to the list", async () => {
    const { page } = await site.open("/console/search?q=nobody", {
      prepare: (prepared) =>
        prepared.route("**/v1/hosts?*", (route) => {
          const url = new URL(route.request().url());
          url.searchParams.set("limit", "4");
          return route.continue({ url: url.href });
        }),
    });
    await page.getByRole("link", { name: "all hosts" }).click();
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    const links = page.getByRole("region", { name: "Hosts" }).getByRole("link");
    await expect
      .poll(() => links.allTextContents())
      .toEqual([0, 1, 2, 3, 4, 5].map((i) => `node-${i}`));
    const { blocks } = await site.api("GET", "/v1/blocks?host=node-0&limit=1000");
    const own = blocks.filter(({ host }: { host?: string }) => host === "node-0");
    const inUse = own.reduce(
      (all: number, block: { inUse: string }) => all + Number(block.inUse),
      0,
    );
    await page
      .getByRole("row", { name: "node-0" })
      .getByText(`${inUse}`, { exact: true })
      .waitFor();
    await page.getByRole("link", { name: "node-0" }).click();
    await page.getByRole("heading", { level: 1, name: "Host node-0" }).waitFor();
    await page.close();
  });
});

describe("the spaces", () => {
  it("are on the overview, and each leads to its own", async () => {
    await site.api("PUT", "/v1/spaces/green/pools/main", { cidr: "10.0.0.0/24" });
    const { page } = await site.open("/console/");
    await page.getByText("All spaces").click();
    await page.getByRole("link", { name: "green" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "green" }).click();
    await page.getByText("1 pool in the space green").waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe("/console/spaces/green/");
    await page.close();
  });

  it("are offered where one is chosen", async () => {
    await site.api("PUT", "/v1/spaces/blue/pools/main", { cidr: "10.0.0.0/24" });
    const { page } = await site.open("/console/spaces/empty/jobs");
    await page.getByLabel("Space").focus();
    await page.locator("#spaces option[value=blue]").waitFor({ state: "attached" });
    await page.getByLabel("Space").fill("blue");
    await page.getByLabel("Space").press("Enter");
    await page.getByText("1 pool in the space blue").waitFor();
    await page.close();
  });
});

describe("the use of a pool over time", () => {
  it("is told in UTC by a clock of 24 hours, wherever the browser is", async () => {
    const START_MS = Date.UTC(2026, 10, 24, 9);
    const samples = Array.from({ length: 12 }, (_, hour) => ({
      at: new Date(START_MS + hour * 3_600_000).toISOString(),
      inUse: 10 + hour,
      assignable: 256,
      available: 246 - hour,
    }));
    const { page } = await site.open("/console/pools/pods", {
      async prepare(prepared) {
        const session = await prepared.context().newCDPSession(prepared);
        await session.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Kolkata" });
        await prepared.addInitScript(`
          window.drawn = [];
          const { fillText } = CanvasRenderingContext2D.prototype;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
            window.drawn.push(text);
            return fillText.call(this, text, ...place);
          };
        `);
        await prepared.route("**/v1/pools/pods/history", (route) =>
          route.fulfill({ json: { requestId: "r", pool: "pods", samples } }),
        );
      },
    });
    await page.getByRole("heading", { name: "Use over time, in UTC" }).waitFor();
    const drawn = () => page.evaluate("window.drawn") as Promise<readonly string[]>;
    await expect.poll(drawn).toEqual(expect.arrayContaining(["10:00", "12:00", "20:00"]));
    expect((await drawn()).filter((text) => /[ap]m$/.test(text))).toEqual([]);
    await page.close();
  });
});

describe("the colours", () => {
  it("follow the choice, which a reload keeps", async () => {
    const { page } = await site.open("/console/");
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.getByLabel("Colours").selectOption("dark");
    await expect.poll(ground).not.toBe(light);
    await page.reload();
    await expect.poll(() => page.getByLabel("Colours").inputValue()).toBe("dark");
    await expect.poll(ground).not.toBe(light);
    await page.close();
  });
});
