import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hrefOf, KINDS, type Page, type Place } from "../../console/src/state/place.ts";
import { axeFindings, openSite, type Site } from "./browser.ts";
import { populate, type World } from "./world.ts";

let site: Site;
let world: World;

beforeAll(async () => {
  site = await openSite();
  world = await populate(site);
});

afterAll(() => site.close());

/** A page as it is told in a test. */
interface Case {
  readonly name: string;
  readonly heading: RegExp;
  /** A text that shows that the API's answer is there. */
  readonly text: RegExp;
  /** The name of what the page is about. */
  readonly of?: (world: World) => string;
  readonly view?: (world: World) => Place["view"];
  readonly space?: string;
}

const pool = (name: string, by: string, text: RegExp): Case => ({
  name,
  of: () => "pods",
  view: () => (by === "" ? {} : { by }),
  heading: /Pool pods/,
  text,
});

/** The pages of each kind that the console knows. */
const PAGES: Readonly<Record<(typeof KINDS)[number], readonly Case[]>> = {
  overview: [
    { name: "the overview", heading: /Overview/, text: /of 4,096 addresses in use/ },
    { name: "an empty space", space: "empty", heading: /Overview/, text: /has no pools/ },
  ],
  pool: [
    pool("a pool by fill", "", /of 64 blocks are claimed/),
    pool("a pool by host", "host", /node-5/),
    pool("a pool as a table", "table", /Cooling/),
    {
      ...pool("a part of a pool", "", /^10\.64\.6\.0 to 10\.64\.9\.255$/),
      view: () => ({ within: "10.64.6.0/22" }),
    },
    {
      name: "a pool of IPv6",
      of: () => "wide",
      heading: /Pool wide/,
      text: /× 10¹⁷ blocks are claimed/,
    },
  ],
  block: [
    { name: "a block", of: ({ pod }) => pod.block, heading: /Block 10\.64/, text: /shop\/web-0/ },
  ],
  address: [
    {
      name: "an address",
      of: ({ pod }) => pod.address,
      heading: /Address 10\.64/,
      text: /^Attributes and active owner$/,
    },
    {
      name: "an address in quarantine",
      of: ({ quarantined }) => quarantined,
      heading: /Address/,
      text: /quarantined/,
    },
  ],
  host: [{ name: "a host", of: () => "node-0", heading: /Host node-0/, text: /zone/ }],
  handle: [
    {
      name: "a handle",
      of: ({ pod }) => pod.handle,
      heading: /Handle shop\/web-0/,
      text: /node-0/,
    },
  ],
  hosts: [{ name: "the hosts", heading: /Hosts/, text: /^node-5$/ }],
  jobs: [
    { name: "the jobs", heading: /Jobs/, text: /pool\.release/ },
    { name: "a job", view: ({ job }) => ({ id: job }), heading: /Job/, text: /pool\.release/ },
  ],
  reservations: [
    { name: "the reservations", heading: /Reservations/, text: /routers/ },
    {
      name: "a reservation",
      view: () => ({ name: "routers" }),
      heading: /Reservation routers/,
      text: /10\.64\.0\.0/,
    },
  ],
  alarms: [{ name: "the alarms", heading: /Alarms/, text: /No threshold is crossed|Since/ }],
  events: [{ name: "the events", heading: /Events/, text: /^node-0$/ }],
  check: [{ name: "the check", heading: /Check/, text: /proves the invariants/ }],
  settings: [
    { name: "the settings", heading: /Settings/, text: /the tenant shop/ },
    {
      name: "a quota",
      view: () => ({ quota: "shop" }),
      heading: /Quota shop/,
      text: /the tenant shop/,
    },
  ],
  search: [
    {
      name: "a search of a network",
      view: () => ({ q: "10.0.0.0/8" }),
      heading: /Search/,
      text: /old/,
    },
    {
      name: "a search without a find",
      view: () => ({ q: "nobody" }),
      heading: /Search/,
      text: /Nothing found with this/,
    },
    {
      name: "a search by conditions",
      view: () => ({ q: "pool=pods pod=web-0" }),
      heading: /Search pool=pods pod=web-0/,
      text: /^1 address meets all conditions/,
    },
  ],
  spaces: [{ name: "the spaces", heading: /Spaces/, text: /^\d\d:\d\d:\d\d UTC$/ }],
  nowhere: [{ name: "no page", heading: /There is no such page/, text: /Page not found/ }],
};

const CASES = KINDS.flatMap((kind) =>
  PAGES[kind].map((page) => [page.name, { kind, ...page }] as const),
);

function pathOf({ kind, of, view, space = "default" }: (typeof CASES)[number][1]): string {
  if (kind === "nowhere") return "/console/nowhere";
  const page = { kind, ...(of && { name: of(world) }) } as Page;
  return hrefOf({ space, page, view: view?.(world) ?? {} });
}

/** No phone of today is as narrow as the last one. */
const WIDTHS_PX = { wide: 1_280, phone: 390, narrow: 360 } as const;
const HEIGHT_PX = 900;
/** The views of each page that axe looks at: each width and each scheme once, and with `WHOLE=true` each pair of them. */
const VIEWS: readonly (readonly [widthPx: number, scheme: "light" | "dark"])[] = [
  [WIDTHS_PX.wide, "light"],
  [WIDTHS_PX.phone, "dark"],
  ...(process.env.WHOLE === "true"
    ? ([
        [WIDTHS_PX.wide, "dark"],
        [WIDTHS_PX.phone, "light"],
      ] as const)
    : []),
];
/** What a page shows is some minutes old, so that the texts of its times are long. */
const AGE_MS = 600_000;

describe("a page", () => {
  it.each(CASES)(
    "%s shows what the API has; axe finds nothing in light and dark, wide and on a phone, where no row is blank",
    async (_, shown) => {
      const { page, errors, origins } = await site.open(pathOf(shown), {
        prepare: (prepared) => prepared.clock.setFixedTime(Date.now() + AGE_MS),
      });
      await page.getByRole("heading", { level: 1, name: shown.heading }).waitFor();
      await page.locator("main").getByText(shown.text).first().waitFor();
      const isWider = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
      const see = (width: number, colorScheme: "light" | "dark") =>
        Promise.all([
          page.setViewportSize({ width, height: HEIGHT_PX }),
          page.emulateMedia({ colorScheme, reducedMotion: "reduce" }),
        ]);
      for (const [width, scheme] of VIEWS) {
        await see(width, scheme);
        expect(await axeFindings(page), `${scheme}, ${width} pixels`).toEqual([]);
        await expect.poll(isWider).toBe(false);
      }
      expect(await page.evaluate(FAULTS_OF_ROWS)).toEqual([]);
      await see(WIDTHS_PX.narrow, "dark");
      await expect.poll(isWider).toBe(false);
      expect(errors).toEqual([]);
      expect([...origins]).toEqual([site.url]);
      await page.close();
    },
  );
});

/**
 * A script that returns the rows of tables that reach beyond the page, scroll sideways, or have more than a line without content.
 * A row's content is its visible texts, controls and bars.
 */
const FAULTS_OF_ROWS = `(() => {
  const BLANK_PX_MAX = 20;
  const boxesIn = (row) => {
    const boxes = [...row.querySelectorAll("input, button, .bar")].map((part) => part.getBoundingClientRect());
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const range = document.createRange();
      range.selectNode(texts.currentNode);
      if (texts.currentNode.data.trim() !== "") boxes.push(...range.getClientRects());
    }
    return boxes.filter(({ width, left }) => width > 0 && left < innerWidth).sort((a, b) => a.top - b.top);
  };
  const faultOf = (row) => {
    const { top, bottom, height } = row.getBoundingClientRect();
    const boxes = boxesIn(row);
    if (boxes.some(({ right }) => right > innerWidth)) return "reaches beyond the page";
    let filled = top;
    let blank = 0;
    for (const box of [...boxes, { top: bottom, bottom }]) {
      blank = Math.max(blank, box.top - filled);
      filled = Math.max(filled, box.bottom);
    }
    return blank > BLANK_PX_MAX ? Math.round(blank) + " of " + Math.round(height) + " pixels are blank" : "";
  };
  const scrolls = [...document.querySelectorAll(".table")].filter((part) => part.scrollWidth > part.clientWidth);
  return [
    ...scrolls.map((part) => part.ariaLabel + ": scrolls sideways"),
    ...[...document.querySelectorAll("tbody tr")].map((row) => [row.textContent, faultOf(row)])
      .filter(([, fault]) => fault !== "").map(([text, fault]) => text + ": " + fault),
  ];
})()`;

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

  it("finds a pool by the beginning of its name on any page of the pools", async () => {
    const { page } = await site.open("/console/search?q=wid", {
      prepare: (prepared) =>
        prepared.route("**/v1/pools?*", (route) => {
          const url = new URL(route.request().url());
          url.searchParams.set("limit", "1");
          return route.continue({ url: url.href });
        }),
    });
    await page.getByRole("heading", { level: 1, name: "Pool wide" }).waitFor();
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
    const { page } = await site.open(`/console/addresses/${world.quarantined}`);
    const rows = page.getByRole("region", { name: "History" }).getByRole("row");
    await expect
      .poll(() => rows.locator("td:nth-child(2)").allTextContents())
      .toEqual(["AddressConflict", "AddressReleased", "AddressAssigned"]);
    await page.close();
  });

  it("is in the history of a handle that has nothing any more", async () => {
    const { page } = await site.open("/console/handles/shop/web-1");
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

describe("an address", () => {
  it("has what cannot be undone as its last buttons", async () => {
    const { page } = await site.open(`/console/addresses/${world.pod.address}`);
    await page.getByRole("button", { name: "Change owners" }).waitFor();
    expect(await page.locator(".acts button").allTextContents()).toEqual([
      "Change owners",
      "Release",
      "Quarantine",
    ]);
    await page.close();
  });

  it("shortens its generation, and a button copies the whole", async () => {
    const path = `addresses/${world.pod.address}`;
    const { generation } = await site.api("GET", `/v1/${path}`);
    const { page } = await site.open(`/console/${path}`);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the generation" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(generation);
    expect(await page.locator("main").textContent()).not.toContain(generation);
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
    await page.getByText(/\d findings? that must never occur/).waitFor();
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

describe("the page of a pool with ranges", () => {
  it("tells of no other blocks of its CIDR", async () => {
    const space = "/v1/spaces/ranged";
    const ranges = ["10.70.0.0-10.70.0.63"];
    await site.api("PUT", `${space}/pools/team`, { cidr: "10.70.0.0/24", blockSize: 26, ranges });
    await site.api("POST", `${space}/assign`, { host: "n", ipv4: 1, handle: "h" });
    const { page } = await site.open("/console/spaces/ranged/pools/team");
    await page.getByText(/^1 block is claimed\.$/).waitFor();
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
