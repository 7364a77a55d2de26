import "../src/local/environment.ts";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { inParallel } from "../src/kernel/core/parallel.ts";
import { type Client, makeClient } from "../src/local/client.ts";
import { functionsOver } from "../src/local/functions.ts";
import { readConsole, serve } from "../src/local/server.ts";
import { InMemoryTable } from "../src/table/in-memory-table.ts";
import { wiringOver } from "../src/wiring.ts";
import { type Browser, type Page, startChromium } from "../test/console/browser.ts";
import { whole } from "./load/options.ts";
import { quantile } from "./speed/turns.ts";

/**
 * `npm run bench:console`: fills spaces as large as a console must bear, and opens their pages in Chromium. It measures the time from the
 * address of a page to its first paint and to all that it shows, its requests, its frames while somebody uses it, and its memory. It fails
 * if one of them misses its goal. Server and browser share this machine. `--only hosts` measures one page.
 */

/** The goals of every page. Frames and paint may miss theirs in one case of twenty. */
const PAINT_MS_MAX = 1_000;
const FRAME_MS_MAX = 33;
const MEMORY_MB_MAX = 150;
/** The overview sends so many requests at most, whatever the number of pools. */
const OVERVIEW_REQUESTS_MAX = 10;

const CALLS_AT_ONCE = 4;
const HEIGHT_PX = 900;

/** A page of the console with much to show. */
interface Scene {
  readonly name: string;
  /** The path of the page below its space, which has the name of the scene. */
  readonly path: string;
  /** The text that says that the page shows everything. */
  readonly shown: RegExp;
  readonly requestsMax?: number;
  fill(call: Call): Promise<void>;
  /** Uses the page as somebody would, while its frames are measured. */
  use(page: Page): Promise<void>;
}

/** Calls the API in the space of a scene. */
type Call = (method: string, path: string, body: object) => Promise<void>;

const POOLS = 2_000;
const HOSTS = 2_000;
/** A pool of 65,536 blocks, full: a request takes 16 blocks, and a host sends one. */
const BLOCKS = 65_536;
const PER_BLOCK = 16;
const PER_REQUEST = 256;
/** A /8 of 1,048,576 blocks in 16,384 block groups. In each group some are claimed: a map counts them by group, however many they are. */
const GROUPS = 16_384;
const GROUPS_OF_HOST = 4;
const HOSTS_OF_IPV6 = 256;

/** A page that needs longer shows nothing at all. */
const SHOWN_MS_MAX = 300_000;
const QUANTILE = 0.95;
const SCROLLS = 40;
const SCROLL_PX = 300;
/** Steps from the whole pool to the smallest network, and from there back. */
const ZOOM_STEPS = 4;
const ZOOMS = 5;
/** Places to which the pointer moves on its way over the map. */
const POINTS = 200;
/** Notes the time of each frame until it is told to stop. */
const OBSERVE = `(() => {
  const times = [];
  let going = true;
  const next = (at) => { times.push(at); if (going) requestAnimationFrame(next); };
  requestAnimationFrame(next);
  window.stopFrames = () => { going = false; return times; };
})()`;

const SCENES: readonly Scene[] = [
  {
    name: "pools",
    path: "",
    shown: /^The first 250 pools in the space/,
    requestsMax: OVERVIEW_REQUESTS_MAX,
    fill: (call) =>
      times(POOLS, (i) => call("PUT", `pools/pool-${i}`, { cidr: `10.${i >> 8}.${i & 255}.0/24` })),
    use: scroll,
  },
  {
    name: "hosts",
    path: "hosts",
    shown: /^These are 100 of the hosts/,
    async fill(call) {
      await call("PUT", "pools/main", { cidr: "10.0.0.0/12" });
      await times(HOSTS, (i) =>
        call("POST", "assign", { host: `node-${i}`, ipv4: 1, handle: `${i}` }),
      );
    },
    use: scroll,
  },
  {
    name: "blocks",
    path: "pools/main",
    shown: /^65,536 of 65,536 blocks are claimed/,
    async fill(call) {
      await call("PUT", "pools/main", { cidr: "10.0.0.0/12", blockSize: 28 });
      await times((BLOCKS * PER_BLOCK) / PER_REQUEST, (i) =>
        call("POST", "assign", { host: `node-${i}`, ipv4: PER_REQUEST, handle: `${i}` }),
      );
    },
    use: useMap,
  },
  {
    name: "million",
    path: "pools/main",
    shown: /^65,536 of 1,048,576 blocks are claimed/,
    async fill(call) {
      await call("PUT", "pools/main", { cidr: "10.0.0.0/8", blockSize: 28 });
      await times(GROUPS, (i) =>
        call("POST", `nodes/node-${Math.floor(i / GROUPS_OF_HOST)}/affinities`, {
          cidr: `10.${i >> 6}.${(i & 63) * 4}.0/26`,
        }),
      );
    },
    use: useMap,
  },
  {
    name: "ipv6",
    path: "pools/main",
    shown: /^256 of .+ blocks are claimed/,
    async fill(call) {
      await call("PUT", "pools/main", { cidr: "2001:db8::/32" });
      await times(HOSTS_OF_IPV6, (i) =>
        call("POST", "assign", { host: `node-${i}`, ipv6: 1, handle: `${i}` }),
      );
    },
    use: useMap,
  },
];

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, only: { type: "string" } },
});
const rounds = whole("rounds", values.rounds);
const scenes = SCENES.filter(({ name }) => values.only === undefined || name === values.only);
if (scenes.length === 0)
  throw new Error(`--only: use one of ${SCENES.map(({ name }) => name).join(", ")}`);

// Nothing is published, because a history of a million events is no part of the measurement.
const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
const serving = await serve(handlers, { port: 0, console: readConsole() });
const client = makeClient(serving.url, CALLS_AT_ONCE);
for (const scene of scenes) await scene.fill(calling(client, scene.name));
const browser = await startChromium();
const lines = [];
for (const scene of scenes) lines.push(lineOf(scene, await measured(browser, scene)));
await browser.close();
const listMs = values.only === undefined ? await listedMs(client) : undefined;
client.close();
await serving.stop();
console.log(`${rounds} rounds, load average ${loadavg()[0]?.toFixed(1)}`);
console.table(lines.map(({ requestsMax, ...line }) => line));
if (listMs !== undefined)
  console.log(`the list of 65,536 blocks, read without a browser: ${listMs.toFixed(0)} ms`);
const missed = lines.flatMap(missedBy);
for (const goal of missed) console.log(`MISSED: ${goal}`);
if (missed.length > 0) process.exitCode = 1;

/** Does some calls, a few of them at once. */
async function times(count: number, work: (i: number) => Promise<void>): Promise<void> {
  await inParallel(
    Array.from({ length: count }, (_, i) => i),
    CALLS_AT_ONCE,
    work,
  );
}

function calling(client: Client, space: string): Call {
  return async (method, path, body) => {
    const reply = await client.call(method, `/v1/spaces/${space}/${path}`, body);
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.body.detail}`);
  };
}

/** What was measured of a page in all rounds. */
interface Measured {
  readonly paintsMs: number[];
  readonly shownMs: number[];
  readonly framesMs: number[];
  readonly requests: number[];
  readonly memoryMb: number[];
}

async function measured(browser: Browser, scene: Scene): Promise<Measured> {
  const all: Measured = { paintsMs: [], shownMs: [], framesMs: [], requests: [], memoryMb: [] };
  for (let round = 0; round < rounds; round++) {
    const page = await browser.newPage({ viewport: { width: 1_280, height: HEIGHT_PX } });
    let requests = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname.startsWith("/v1/")) requests++;
    });
    const startedAtMs = performance.now();
    await page.goto(`${serving.url}/console/spaces/${scene.name}/${scene.path}`);
    await page.getByText(scene.shown).waitFor({ timeout: SHOWN_MS_MAX });
    await page.getByText(/^As of /).waitFor({ timeout: SHOWN_MS_MAX });
    await page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    all.shownMs.push(performance.now() - startedAtMs);
    all.requests.push(requests);
    all.paintsMs.push(await firstPaintMs(page));
    all.framesMs.push(...(await framesDuring(page, () => scene.use(page))));
    all.memoryMb.push(await memoryMb(page));
    await page.close();
  }
  return all;
}

interface Line {
  readonly page: string;
  readonly requests: number;
  readonly "first paint, ms": number;
  readonly "all shown, ms": number;
  readonly "frame, ms": number;
  readonly "frame 95 %, ms": number;
  readonly "memory, MB": number;
  readonly requestsMax: number | undefined;
}

function lineOf({ name, requestsMax }: Scene, of: Measured): Line {
  const at = (ms: readonly number[], q: number) => Number(quantile(ms, q).toFixed(1));
  return {
    page: name,
    requests: Math.max(...of.requests),
    requestsMax,
    "first paint, ms": at(of.paintsMs, QUANTILE),
    "all shown, ms": at(of.shownMs, 0.5),
    "frame, ms": at(of.framesMs, 0.5),
    "frame 95 %, ms": at(of.framesMs, QUANTILE),
    "memory, MB": Math.ceil(Math.max(...of.memoryMb)),
  };
}

/** Returns the goals that a page missed. */
function missedBy(line: Line): readonly string[] {
  const goals: readonly (readonly [measured: keyof Line, max: number | undefined])[] = [
    ["requests", line.requestsMax],
    ["first paint, ms", PAINT_MS_MAX],
    ["frame 95 %, ms", FRAME_MS_MAX],
    ["memory, MB", MEMORY_MB_MAX],
  ];
  return goals.flatMap(([what, max]) =>
    max !== undefined && Number(line[what]) > max
      ? [`${line.page}: ${what}: ${line[what]}, and the goal is ${max}`]
      : [],
  );
}

function firstPaintMs(page: Page): Promise<number> {
  return page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime");
}

/** Returns the memory that the page has from its engine, with what the next collection would free. */
async function memoryMb(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { totalSize, embedderHeapUsedSize, backingStorageSize } =
    await session.send("Runtime.getHeapUsage");
  return (totalSize + embedderHeapUsedSize + backingStorageSize) / 1e6;
}

/** Returns the times between the frames of a page while something is done, in milliseconds. */
async function framesDuring(page: Page, work: () => Promise<unknown>): Promise<readonly number[]> {
  await page.evaluate(OBSERVE);
  await work();
  const times = (await page.evaluate("window.stopFrames()")) as readonly number[];
  return times.slice(1).map((at, i) => at - (times[i] ?? at));
}

/** Scrolls down and up again. */
async function scroll(page: Page): Promise<void> {
  for (const sign of [1, -1])
    for (let turn = 0; turn < SCROLLS; turn++) {
      await page.mouse.wheel(0, sign * SCROLL_PX);
      await page.evaluate("new Promise((done) => requestAnimationFrame(done))");
    }
}

/** Zooms in and out, and moves the pointer over the map. */
async function useMap(page: Page): Promise<void> {
  const map = page.getByRole("application");
  await map.focus();
  for (let turn = 0; turn < ZOOMS; turn++)
    for (const key of ["+", "-"])
      for (let step = 0; step < ZOOM_STEPS; step++) await map.press(key);
  const box = await page.locator(".map-tiles canvas").boundingBox();
  if (!box) throw new Error("the page has no map");
  await page.mouse.move(box.x, box.y + 1);
  await page.mouse.move(box.x + box.width - 1, Math.min(box.y + box.height, HEIGHT_PX - 1), {
    steps: POINTS,
  });
}

/** Returns the time to read the pages of the list of the 65,536 blocks, one after another. */
async function listedMs(client: Client): Promise<number> {
  const startedAtMs = performance.now();
  let cursor = "";
  do {
    const path = `/v1/spaces/blocks/blocks?pool=main&limit=1000${cursor}`;
    const { body } = await client.call("GET", path);
    cursor = body.next ? `&cursor=${body.next}` : "";
  } while (cursor);
  return performance.now() - startedAtMs;
}
