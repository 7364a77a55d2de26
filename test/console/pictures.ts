import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { makeClient } from "../../src/local/client.ts";
import { CALLS_AT_ONCE } from "../../src/local/rollout.ts";
import { keepRolling } from "../../src/local/steady.ts";
import { seededRandom } from "../simulation/random.ts";
import { openSite, openWindow, type Page, type Site, startChromium, type View } from "./browser.ts";
import { servePartsPage } from "./parts-page.ts";

/**
 * `npm run pictures`: makes pictures of the console's main pages in `docs/pictures`. The server has the rollout of
 * `npm run demo -- --console`, with some days behind it.
 */

const FOLDER = new URL("../../docs/pictures/", import.meta.url);
const DEPLOYMENTS = 220;
const SEED = 21;
const HOURS = 72;
const TURNS_AT_LAST = 60;
const HOUR_MS = 3_600_000;
const SAMPLE_MS = 300_000;
/** The time between two deployments of the demo. */
const TURN_MS = 600;
const WIDTH_PX = 1_200;

/** The pages; the path of one can depend on an address of the rollout. */
type Picture = readonly [name: string, path: string | ((pod: Pod) => string), view: View];

interface Pod {
  readonly address: string;
  readonly block: string;
}

const PICTURES: readonly Picture[] = [
  ["block-map", "/console/pools/pods", { height: 736 }],
  ["block-map-by-host", "/console/pools/pods?by=host", { height: 772, scheme: "dark" }],
  ["overview", "/console/", { height: 610 }],
  ["block", ({ block }) => `/console/blocks/${block}`, { height: 620 }],
  ["address", ({ address }) => `/console/addresses/${address}`, { height: 620 }],
  ["change-a-pool", "/console/pools/pods?act=drain", { height: 560 }],
  ["on-a-phone", "/console/pools/pods?by=host", { width: 360, height: 780, scheme: "dark" }],
];

/** A pass of `reclaim` is a sample of the history if it ends as such a span begins. */
const lastSampleMs = Math.floor(Date.now() / SAMPLE_MS) * SAMPLE_MS;
let nowMs = lastSampleMs - HOURS * HOUR_MS;
const site = await openSite({ surroundings: { now: () => nowMs, sleep } });
await live(site);
const pod = await somePod(site);
await mkdir(FOLDER, { recursive: true });
for (const [name, path, view] of PICTURES) {
  const { page } = await site.open(typeof path === "string" ? path : path(pod), {
    width: WIDTH_PX,
    ...view,
  });
  await keep(name, page);
}
await site.close();
await picturesOfParts();

/** Makes the pictures of the page that shows every part, in both schemes. */
async function picturesOfParts(): Promise<void> {
  const served = await servePartsPage();
  const browser = await startChromium();
  for (const scheme of ["light", "dark"] as const) {
    const { page } = await openWindow(browser, new URL(served.url), { width: WIDTH_PX, scheme });
    await page.locator(".uplot").waitFor();
    await keep(scheme === "light" ? "parts" : "parts-in-the-dark", page, true);
  }
  await browser.close();
  await served.close();
}

/** Writes the picture of a page: of the window, or of all of it. */
async function keep(name: string, page: Page, fullPage = false): Promise<void> {
  await page.waitForLoadState("networkidle");
  await sharp(await page.screenshot({ fullPage }))
    .png({ palette: true, compressionLevel: 9, effort: 10 })
    .toFile(fileURLToPath(new URL(`${name}.png`, FOLDER)));
  await page.close();
}

/** Returns an address in use of a block that is partly full. */
async function somePod({ api }: Site): Promise<Pod> {
  const { blocks } = await api("GET", "/v1/blocks?pool=pods");
  const [{ cidr }] = blocks.filter(({ inUse }: { inUse: number }) => inUse > 20 && inUse < 50);
  const { addresses } = await api("GET", `/v1/blocks/${cidr}`);
  const [{ address }] = addresses.filter(({ state }: { state: string }) => state === "assigned");
  return { address, block: cidr };
}

/** Lets days pass: pods come and go, one pool fills, and `reclaim` counts them each hour. */
async function live({ url, api, scheduledRuns }: Site): Promise<void> {
  await api("PUT", "/v1/pools/machines", { cidr: "10.20.0.0/24", assignmentMode: "Manual" });
  await api("PUT", "/v1/pools/wide", { cidr: "2001:db8:64::/64", blockSize: 122 });
  await api("PUT", "/v1/pools/old", { cidr: "10.9.0.0/24", disabled: true });
  const client = makeClient(url, CALLS_AT_ONCE);
  const ending = new AbortController();
  let turns = 0;
  await keepRolling({
    deployments: DEPLOYMENTS,
    client,
    signal: ending.signal,
    random: seededRandom(SEED).fraction,
    async pause() {
      turns += 1;
      if (turns > HOURS + TURNS_AT_LAST) return ending.abort();
      nowMs += turns <= HOURS ? HOUR_MS : TURN_MS;
      if (turns > HOURS) return;
      const machine = { host: "rack-1", ipv4: 2, pools: ["machines"], handle: `rack/${turns}` };
      await api("POST", "/v1/assign", machine);
      await api("POST", "/v1/assign", {
        host: `node-${turns % 10}`,
        ipv6: 3,
        handle: `six/${turns}`,
      });
      await scheduledRuns.reclaim();
    },
  });
  client.close();
}
