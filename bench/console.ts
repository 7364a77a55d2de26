import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { inParallel } from "../src/allocator/core/parallel.ts";
import { makeClient } from "../src/local/client.ts";
import { readConsole } from "../src/local/console.ts";
import { serve } from "../src/local/server.ts";
import { InMemoryTable } from "../src/store/in-memory-table.ts";
import { wire } from "../src/wiring.ts";
import { startChromium } from "../test/console/browser.ts";
import { whole } from "./load/options.ts";

/**
 * `npm run bench:console`: fills a pool of 65,536 blocks with 1,048,576 addresses, and measures how long Chromium needs
 * from the address of its page to the whole map, read from pages of the API. Server and browser share this machine.
 */

const CIDR = "10.0.0.0/12";
const BLOCK_SIZE = 28;
const BLOCKS = 65_536;
const ADDRESSES = BLOCKS * 16;
const PER_REQUEST = 256;
/** Each host has as many blocks as one request needs. */
const HOSTS = ADDRESSES / PER_REQUEST;
const CALLS_AT_ONCE = 4;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = whole("rounds", values.rounds);
// Nothing is published, because a history of a million events is no part of the measurement.
wire(new InMemoryTable());
const { HANDLERS } = await import("../src/local/functions.ts");
const serving = await serve(HANDLERS, { port: 0, console: readConsole() });
await fill(serving.url);
const browser = await startChromium();
const times: number[] = [];
for (let round = 0; round < rounds; round++) times.push(await drawnMs(browser, serving.url));
await browser.close();
await serving.stop();
times.sort((a, b) => a - b);
console.table({
  blocks: BLOCKS,
  addresses: ADDRESSES,
  rounds: times.length,
  "fastest, ms": Math.round(times[0] ?? 0),
  "median, ms": Math.round(times[Math.floor(times.length / 2)] ?? 0),
  "slowest, ms": Math.round(times.at(-1) ?? 0),
});

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

/** Returns the time from the address of the page to its last frame with all blocks. */
async function drawnMs(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1_280, height: 900 } });
  const startedAtMs = performance.now();
  await page.goto(`${url}/console/pools/large`);
  await page.getByText(/^65,536 of 65,536 blocks are claimed/).waitFor();
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  const tookMs = performance.now() - startedAtMs;
  await page.close();
  return tookMs;
}
