import { parseArgs } from "node:util";
import { inParallel } from "../src/allocator/core/parallel.ts";
import { makeClient } from "../src/local/client.ts";
import { openSite, type Site } from "../test/console/browser.ts";
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
const HOSTS = 256;
const CALLS_AT_ONCE = 16;

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = whole("rounds", values.rounds);
const site = await openSite();
await fill(site);
const times: number[] = [];
for (let round = 0; round < rounds; round++) times.push(await drawnMs(site));
await site.close();
times.sort((a, b) => a - b);
console.table({
  blocks: BLOCKS,
  addresses: ADDRESSES,
  rounds: times.length,
  "fastest, ms": Math.round(times[0] ?? 0),
  "median, ms": Math.round(times[Math.floor(times.length / 2)] ?? 0),
  "slowest, ms": Math.round(times.at(-1) ?? 0),
});

async function fill({ url, api }: Site): Promise<void> {
  await api("PUT", "/v1/pools/large", { cidr: CIDR, blockSize: BLOCK_SIZE });
  const client = makeClient(url, CALLS_AT_ONCE);
  const requests = Array.from({ length: ADDRESSES / PER_REQUEST }, (_, i) => i);
  await inParallel(requests, CALLS_AT_ONCE, async (i) => {
    const body = { host: `node-${i % HOSTS}`, ipv4: PER_REQUEST, handle: `large/${i}` };
    const { status, body: answer } = await client.call("POST", "/v1/assign", body);
    if (status !== 200) throw new Error(answer.detail);
  });
  client.close();
}

/** Returns the time from the address of the page to its last frame with all blocks. */
async function drawnMs({ open }: Site): Promise<number> {
  const startedAtMs = performance.now();
  const { page } = await open("/console/pools/large");
  await page.getByText(/^65,536 of 65,536 blocks are claimed/).waitFor();
  await page.evaluate(
    "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
  );
  const tookMs = performance.now() - startedAtMs;
  await page.close();
  return tookMs;
}
