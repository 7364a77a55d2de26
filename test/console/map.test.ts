import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, makeClient } from "../../src/local/client.ts";
import { keepRolling } from "../../src/local/steady.ts";
import { HANGS_MS } from "../patience.ts";
import { seededRandom } from "../simulation/random.ts";
import { openSite, type Site } from "./browser.ts";
import { populate, type World } from "./world.ts";

let site: Site;
let world: World;

beforeAll(async () => {
  site = await openSite();
  world = await populate(site);
});

afterAll(() => site.close());

const openPool = async (path: string) => {
  const { page } = await site.open(path);
  const map = page.getByRole("application", { name: /Blocks of/ });
  await map.waitFor();
  return { page, map, told: page.locator(".map-told") };
};

/** Waits for the map that shows these addresses. */
const mapOf = (page: Page, shown: string) =>
  page.getByRole("application", { name: `Blocks of pods in ${shown}`, exact: true }).waitFor();

const queryOf = (page: Page) => new URL(page.url()).search;

/** Returns the middle of the map, after the pointer has reached it. */
async function middleOf(page: Page) {
  const tiles = page.locator(".map-tiles canvas");
  await tiles.hover();
  await expect.poll(() => page.locator(".map-told").textContent()).toMatch(/^10\./);
  const box = await tiles.boundingBox();
  if (!box) throw new Error("the map is not drawn");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drags the map down by this many pixels, or up. */
async function drag(page: Page, pixels: number) {
  const { x, y } = await middleOf(page);
  await page.mouse.down();
  await page.mouse.move(x, y + pixels, { steps: 4 });
  await page.mouse.up();
}

describe("the block map", () => {
  it("says what a tile has when the keys reach it, and opens its block", async () => {
    const { page, map, told } = await openPool("/console/pools/pods");
    await map.focus();
    await map.press("Home");
    // The blocks of the pool in the order of the map: the cursor moves to the one of the pod.
    const [, third = 0, fourth = 0] = /^10\.64\.(\d+)\.(\d+)\/26$/.exec(world.pod.block) ?? [];
    const index = Number(third) * 4 + Number(fourth) / 64;
    for (let i = 0; i < index; i++) await map.press("ArrowRight");
    await expect.poll(() => told.textContent()).toMatch(`${world.pod.block} of node-`);
    await map.press("Enter");
    await page.getByRole("heading", { name: `Block ${world.pod.block}` }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Pool pods" }).waitFor();
    await page.close();
  });

  it("says what a tile has when the pointer is over it, and opens it on a click", async () => {
    const { page, told } = await openPool("/console/pools/pods?within=10.64.0.0/20");
    const tiles = page.locator(".map-tiles canvas");
    await tiles.hover({ position: { x: 5, y: 5 } });
    await expect.poll(() => told.textContent()).toMatch(/^10\.64\.0\.0\/26 /);
    await tiles.click({ position: { x: 5, y: 5 } });
    await page.getByRole("heading", { name: "Block 10.64.0.0/26" }).waitFor();
    await page.close();
  });

  it("zooms by keys, keeps what it shows in the address, and the way back leads out", async () => {
    const { page, map } = await openPool("/console/pools/pods?by=host");
    await map.focus();
    await map.press("+");
    await page.getByRole("application", { name: "Blocks of pods in 10.64.0.0/24" }).waitFor();
    await expect.poll(() => queryOf(page)).toBe("?by=host&within=10.64.0.0%2F24");
    await page.reload();
    await page.getByRole("application", { name: "Blocks of pods in 10.64.0.0/24" }).waitFor();
    await page.getByRole("button", { name: "10.64.0.0/20" }).click();
    await page.getByRole("application", { name: "Blocks of pods in 10.64.0.0/20" }).waitFor();
    await page.goBack();
    await page.getByRole("application", { name: "Blocks of pods in 10.64.0.0/24" }).waitFor();
    await page.close();
  });

  it("moves by rows after a pointer that drags it, opens nothing then, and keeps its place in the address", async () => {
    const { page } = await openPool("/console/pools/pods?within=10.64.4.0%2F22");
    await drag(page, -50);
    await mapOf(page, "10.64.6.0 to 10.64.9.255");
    await expect.poll(() => queryOf(page)).toBe("?within=10.64.6.0%2F22");
    await page.reload();
    await mapOf(page, "10.64.6.0 to 10.64.9.255");
    await drag(page, 250);
    await mapOf(page, "10.64.0.0/22");
    await page.getByRole("heading", { name: "Pool pods" }).waitFor();
    await page.close();
  });

  it("stands where it stood once the addresses are counted, so that a pointer on it hits what it meant", async () => {
    let count = () => {};
    const asked = new Promise<void>((resolve) => {
      count = resolve;
    });
    const { page } = await site.open("/console/pools/pods?within=10.64.4.0%2F22", {
      prepare: (prepared) =>
        prepared.route("**/v1/utilization?*", async (route) => {
          await asked;
          await route.continue();
        }),
    });
    await page.getByText("Counting the addresses…").waitFor();
    await page.getByText("blocks are claimed").waitFor();
    const before = await middleOf(page);
    count();
    await page.getByRole("list", { name: "Counts" }).waitFor();
    expect(await middleOf(page)).toEqual(before);
    await page.close();
  });

  it("moves after a finger, and the page stays where it is", async () => {
    const { page } = await openPool("/console/pools/pods?within=10.64.4.0%2F22");
    const scrolled = () => page.evaluate("scrollY");
    const { x, y } = await middleOf(page);
    const before = await scrolled();
    const touch = await page.context().newCDPSession(page);
    await touch.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const send = (type: "touchStart" | "touchMove" | "touchEnd", at?: number) =>
      touch.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: at === undefined ? [] : [{ x, y: at }],
      });
    await send("touchStart", y);
    for (const moved of [20, 40, 60]) await send("touchMove", y - moved);
    await send("touchEnd");
    await mapOf(page, "10.64.6.0 to 10.64.9.255");
    expect(await scrolled()).toBe(before);
    await page.close();
  });

  it("goes on with the keys beyond its last row and its first one, to the ends of the pool", async () => {
    const { page, map, told } = await openPool("/console/pools/pods?within=10.64.0.0%2F22");
    await map.focus();
    for (let row = 0; row < 2; row++) await map.press("ArrowDown");
    await mapOf(page, "10.64.2.0 to 10.64.5.255");
    await expect.poll(() => told.textContent()).toMatch(/^10\.64\.4\.0\/26 /);
    for (let row = 0; row < 2; row++) await map.press("PageDown");
    await map.press("ArrowDown");
    await map.press("End");
    await map.press("ArrowRight");
    await mapOf(page, "10.64.12.0/22");
    await expect.poll(() => told.textContent()).toMatch(/^10\.64\.15\.192\/26 /);
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain("/console/pools");
    await page.close();
  });

  it("moves by all that it shows without a drag", async () => {
    const { page } = await openPool("/console/pools/pods?within=10.64.8.0%2F22");
    await page.getByRole("button", { name: "Later" }).click();
    await mapOf(page, "10.64.12.0/22");
    await page.getByRole("button", { name: "Later", disabled: true }).waitFor();
    await page.getByRole("button", { name: "Earlier" }).click();
    await mapOf(page, "10.64.8.0/22");
    await page.close();
  });

  it("shows the part of a large pool that has its blocks", async () => {
    const { page } = await openPool("/console/pools/wide");
    // The map begins with the whole pool, and moves as soon as it has read the blocks.
    await page
      .getByRole("application", { name: /^Blocks of wide in 2001:db8::.*\/1\d\d$/ })
      .waitFor();
    await page.getByRole("button", { name: "2001:db8::/64" }).click();
    await page.getByRole("application", { name: "Blocks of wide in 2001:db8::/64" }).waitFor();
    await page.close();
  });

  it("draws tiles in many colours, and others when a host of the legend stands out", async () => {
    const { page } = await openPool("/console/pools/pods?by=host");
    const colours = () =>
      page.evaluate(`(() => {
        const canvas = document.querySelector(".map-tiles canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4 * 97) seen.add(data.slice(i, i + 4).join());
        return [...seen].sort();
      })()`) as Promise<readonly string[]>;
    await expect.poll(async () => (await colours()).length).toBeGreaterThan(6);
    const before = await colours();
    await page.getByRole("button", { name: /^node-2/ }).click();
    await page.getByRole("button", { name: /^node-2/, pressed: true }).waitFor();
    await expect.poll(() => queryOf(page)).toBe("?by=host&host=node-2");
    await expect.poll(colours).not.toEqual(before);
    await page.close();
  });

  it("follows changes while it is live", async () => {
    const { page } = await openPool("/console/pools/wide");
    const shows = (inUse: number) => page.getByText(`${inUse} in use`, { exact: true }).waitFor();
    const [{ inUse }] = (await site.api("GET", "/v1/utilization?pool=wide")).pools;
    await shows(Number(inUse));
    await site.api("POST", "/v1/assign", { host: "node-0", ipv6: 1, handle: "late" });
    await shows(Number(inUse) + 1);
    await page.close();
  });
});

describe("the rollout of `npm run demo -- --console`", () => {
  it("fills the map, and its pods come and go while the page is live", async () => {
    const over = makeClient(site.url, 8);
    const client: Client = {
      ...over,
      call: (method, path, body) =>
        over.call(method, path.replace("/v1/", "/v1/spaces/demo/"), body),
    };
    const ending = new AbortController();
    let go = () => {};
    let filled = () => {};
    const isFilled = new Promise<void>((resolve) => {
      filled = resolve;
    });
    const rolling = keepRolling({
      deployments: 20,
      client,
      signal: ending.signal,
      random: seededRandom(7).fraction,
      pause: () =>
        new Promise((resolve) => {
          go = resolve;
          filled();
          // A rollout that was ended within a turn still pauses once.
          if (ending.signal.aborted) resolve();
        }),
    });
    await isFilled;
    const { page } = await openPool("/console/spaces/demo/pools/pods");
    const inUse = page.locator(".counts li").first();
    const countOf = async () => Number((await inUse.textContent())?.replace(/\D/g, ""));
    await expect.poll(countOf).toBeGreaterThan(80);
    const counts = page.locator(".counts");
    const before = await counts.textContent();
    // As many pods may go as come, but the addresses of those that went cool.
    const looked = () => {
      go();
      return counts.textContent();
    };
    await expect.poll(looked, { timeout: HANGS_MS }).not.toBe(before);
    ending.abort();
    go();
    await rolling;
    client.close();
    await page.close();
  });
});

describe("a pool of 65,536 blocks", () => {
  const GROUPS = 1_024;
  const BLOCKS_PER_GROUP = 64;
  const GROUPS_PER_PAGE = 64;
  const HOSTS = Array.from({ length: 1_000 }, (_, i) => `node-${i}`);

  /** The pages of the map of a pool that would take a test too long to fill. */
  const pageFrom = (first: number) => ({
    requestId: "r",
    pool: "large",
    cidr: "10.0.0.0/12",
    blockSize: 28,
    readAt: "2026-11-24T00:00:00.000Z",
    hosts: HOSTS,
    blocks: Array.from({ length: GROUPS_PER_PAGE }, (_, i) => groupAt(first + i)),
    ...(first + GROUPS_PER_PAGE < GROUPS && { next: String(first + GROUPS_PER_PAGE) }),
  });

  function groupAt(group: number) {
    const blocks = Array.from({ length: BLOCKS_PER_GROUP }, (_, i) => i);
    const numbers = blocks.map((i) => BLOCKS_PER_GROUP * group + i);
    const zeros = blocks.map(() => 0);
    return {
      cidr: `10.${group >> 6}.${(group & 63) * 4}.0/22`,
      blocks,
      hosts: numbers.map((n) => n % HOSTS.length),
      inUse: numbers.map((n) => 16 - (n % 3)),
      hostReserved: zeros,
      reserved: zeros,
      cooling: zeros,
      available: numbers.map((n) => n % 3),
    };
  }

  it("is drawn whole, and each of its blocks can be reached", async () => {
    const body = { cidr: "10.0.0.0/12", blockSize: 28 };
    await site.api("PUT", "/v1/spaces/large/pools/large", body);
    const { page, errors } = await site.open("/console/spaces/large/pools/large", {
      async prepare(prepared) {
        await prepared.route("**/v1/spaces/large/pools/large/map?*", (route) => {
          const cursor = new URL(route.request().url()).searchParams.get("cursor");
          return route.fulfill({ json: pageFrom(Number(cursor ?? 0)) });
        });
      },
    });
    await page.getByText("65,536 of 65,536 blocks are claimed").waitFor();
    const map = page.getByRole("application", { name: "Blocks of large in 10.0.0.0/12" });
    await map.focus();
    await map.press("PageDown");
    await map.press("End");
    await expect
      .poll(() => page.locator(".map-told").textContent())
      .toBe("10.15.255.240/28 of node-535: 16 of 16 in use, 0 free.");
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe("a pool of more blocks than a map has room for", () => {
  it("is drawn by block group, and a network of it by block", async () => {
    await site.api("PUT", "/v1/spaces/huge/pools/huge", { cidr: "10.0.0.0/8", blockSize: 26 });
    const assign = (handle: string, address: string) =>
      site.api("POST", "/v1/spaces/huge/assign", { host: handle, address, handle });
    await assign("node-0", "10.0.0.1");
    await assign("node-1", "10.255.0.1");
    const { page, errors } = await site.open("/console/spaces/huge/pools/huge");
    const map = page.getByRole("application");
    const told = page.locator(".map-told");
    await page.getByText("2 of 262,144 blocks are claimed").waitFor();
    await map.focus();
    await expect
      .poll(() => told.textContent())
      .toBe("10.0.0.0/20 has 1 block of node-0: 1 of 64 in use, 63 free.");
    await map.press("Enter");
    await page.getByRole("application", { name: "Blocks of huge in 10.0.0.0/20" }).waitFor();
    await map.focus();
    await expect
      .poll(() => told.textContent())
      .toBe("10.0.0.0/26 of node-0: 1 of 64 in use, 63 free.");
    // The map keeps the focus while it reads the network after this one.
    for (const key of ["PageDown", "ArrowDown", "PageUp", "ArrowUp"]) await map.press(key);
    await expect
      .poll(() => told.textContent())
      .toBe("10.0.0.0/26 of node-0: 1 of 64 in use, 63 free.");
    await map.press("Enter");
    await page.getByRole("heading", { name: "Block 10.0.0.0/26" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});
