import "../src/local/environment.ts";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { makeClient } from "../src/local/client.ts";
import { functionsOver } from "../src/local/functions.ts";
import { readConsole, serve } from "../src/local/server.ts";
import { InMemoryTable } from "../src/table/in-memory-table.ts";
import { wiringOver } from "../src/wiring.ts";
import { type Browser, type Page, startChromium } from "../test/console/browser.ts";
import { framesDuring } from "./frames.ts";
import { whole } from "./load/options.ts";
import { quantile } from "./speed/turns.ts";

/**
 * `npm run bench:console`: fills a pool of 65,536 blocks with 1,048,576 addresses, and measures in Chromium how long its page needs
 * from its address to the first paint and to the whole map, and how long the frames are while the map zooms. Server and browser share
 * this machine, so the list of the same blocks is read in the same run to compare.
 */

const CIDR = "10.0.0.0/12";
const BLOCK_SIZE = 28;
const BLOCKS = 65_536;
const ADDRESSES = BLOCKS * 16;
const PER_REQUEST = 256;
/** Each host has as many blocks as one request needs. */
const HOSTS = ADDRESSES / PER_REQUEST;
const CALLS_AT_ONCE = 4;
/** Steps from the whole pool to the smallest network, and from there back. */
const ZOOM_STEPS = 4;
const ZOOMS = 5;
/** Places to which the pointer moves on its way over the map. */
const POINTS = 200;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = whole("rounds", values.rounds);
// Nothing is published, because a history of a million events is no part of the measurement.
const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
const serving = await serve(handlers, { port: 0, console: readConsole() });
await fill(serving.url);
const browser = await startChromium();
const paints: number[] = [];
const times: number[] = [];
const zooming: number[] = [];
const pointing: number[] = [];
for (let round = 0; round < rounds; round++) {
  const { page, drawnMs } = await drawn(browser, serving.url);
  times.push(drawnMs);
  paints.push(await firstPaintMs(page));
  zooming.push(...(await framesDuring(page, () => zoom(page))));
  pointing.push(...(await framesDuring(page, () => point(page))));
  await page.close();
}
const listMs = await listedMs(serving.url);
await browser.close();
await serving.stop();
console.log(
  `${BLOCKS} blocks, ${ADDRESSES} addresses, ${rounds} rounds, load average ${loadavg()[0]?.toFixed(1)}`,
);
console.table([
  row("first paint", paints),
  row("the whole map is drawn", times),
  row("the list of the same blocks, read without a browser", [listMs]),
  row("frames while the map zooms in and out", zooming),
  row("frames while the pointer moves over the map", pointing),
]);

function row(measured: string, ms: readonly number[]) {
  const at = (q: number) => Number(quantile(ms, q).toFixed(1));
  return { measured, count: ms.length, "median, ms": at(0.5), "95 %, ms": at(0.95) };
}

async function fill(url: string): Promise<void> {
  const client = makeClient(url, CALLS_AT_ONCE);
  await client.call("PUT", "/v1/pools/large", { cidr: CIDR, blockSize: BLOCK_SIZE });
  const requests = Array.from({ length: ADDRESSES / PER_REQUEST }, (_, i) => i);
  await inParallel(requests, CALLS_AT_ONCE, async (i) => {
    const body = { host: `node-${i % HOSTS}`, ipv4: PER_REQUEST, handle: `large/${i}` };
    const { status, body: answer } = await client.call("POST", "/v1/assign", body);
    if (status !== 200) throw new Error(answer.detail);
  });
  client.close();
}

/** Opens the page of the pool, and returns it with the time from its address to the last frame with all blocks. */
async function drawn(browser: Browser, url: string) {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  const startedAtMs = performance.now();
  await page.goto(`${url}/console/pools/large`);
  await page.getByText(/^65,536 of 65,536 blocks are claimed/).waitFor();
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  return { page, drawnMs: performance.now() - startedAtMs };
}

function firstPaintMs(page: Page): Promise<number> {
  return page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
}

async function zoom(page: Page): Promise<void> {
  const map = page.getByRole("application");
  await map.focus();
  for (let turn = 0; turn < ZOOMS; turn++)
    for (const key of ["+", "-"])
      for (let step = 0; step < ZOOM_STEPS; step++) await map.press(key);
}

async function point(page: Page): Promise<void> {
  const box = await page.locator(".map-tiles canvas").boundingBox();
  if (!box) throw new Error("the page has no map");
  await page.mouse.move(box.x, box.y + 1);
  await page.mouse.move(box.x + box.width - 1, Math.min(box.y + box.height, 899), {
    steps: POINTS,
  });
}

/** Returns the time to read the pages of the list of the blocks, one after another. */
async function listedMs(url: string): Promise<number> {
  const client = makeClient(url, 1);
  const startedAtMs = performance.now();
  let cursor = "";
  do {
    const { body } = await client.call("GET", `/v1/blocks?pool=large&limit=1000${cursor}`);
    cursor = body.next ? `&cursor=${body.next}` : "";
  } while (cursor);
  client.close();
  return performance.now() - startedAtMs;
}
