import "../src/local/environment.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkTable } from "../src/allocator/check.ts";
import { inParallel } from "../src/allocator/parallel.ts";
import { type Client, makeClient, type Reply } from "../src/local/client.ts";
import { type Emulator, startEmulator } from "../src/local/emulator.ts";
import { TABLE_NAME } from "../src/local/storage.ts";
import { Tally, tableText } from "../src/local/tally.ts";
import { dynamoTable } from "../src/store/dynamo.ts";
import { contextOf, dynamoClient } from "../src/wiring.ts";

/**
 * `npm run race`: many callers race assign and release over HTTP on one pool that they can just fill. A ledger on this side
 * proves that no address is held twice, from the answer to an assign to the call of its release, and that none is lost.
 */

const HOSTS = 16;
const ADDRESSES_PER_HOST = 16;
const HELD_PER_CALLER_MAX = 4;
const SERVED_SHARE_MIN = 0.9;
const RUN_MS_MAX = 15 * 60_000;
/** A keyed request that was refused by its own twin is settled by then. */
const SETTLE_TRIES_MAX = 30;
const RETRY_MS = 500;

interface Options {
  readonly operations: number;
  readonly callers: number;
  readonly seed: number;
  readonly url: string | undefined;
}

/** What one assign was answered with. */
interface Assigned {
  readonly handle: string;
  readonly addresses: readonly { readonly address: string; readonly generation: string }[];
}

class Race {
  readonly #client: Client;
  readonly #options: Options;
  /** Who holds an address, by our own account. */
  readonly #ledger = new Map<string, string>();
  readonly #failures: string[] = [];
  readonly assigns = new Tally();
  readonly releases = new Tally();
  readonly twins = new Tally();
  readonly repeats = new Tally();
  #operationsLeft: number;

  constructor(client: Client, options: Options) {
    this.#client = client;
    this.#options = options;
    this.#operationsLeft = options.operations;
  }

  async run(): Promise<readonly string[]> {
    const { callers, seed } = this.#options;
    const names = Array.from({ length: callers }, (_, i) => i);
    const left = await inParallel(names, callers, (i) => this.#caller(i, randomOf(seed + i)));
    const held = left.flat();
    await inParallel(held, callers, (assigned) => this.#agrees(assigned));
    await inParallel(held, callers, (assigned) => this.#release(assigned, "addresses"));
    await this.#fillAndEmpty();
    const share = this.assigns.ok / this.assigns.count;
    if (share < SERVED_SHARE_MIN)
      this.#fail(`only ${(100 * share).toFixed(1)} % of the assigns were served`);
    return this.#failures;
  }

  /** One caller: assigns and releases at random, and holds a few addresses at most. */
  async #caller(index: number, random: () => number): Promise<Assigned[]> {
    const host = `host-${index % HOSTS}`;
    const held: Assigned[] = [];
    for (let n = 0; this.#operationsLeft > 0; n++) {
      this.#operationsLeft--;
      const count = held.reduce((sum, { addresses }) => sum + addresses.length, 0);
      if (count === 0 || (count < HELD_PER_CALLER_MAX && random() < 0.6)) {
        const handle = `caller-${index}-${n}`;
        const most = HELD_PER_CALLER_MAX - count;
        const ipv4 = random() < 0.8 ? 1 : 1 + Math.floor(random() * most);
        const assigned = await this.#assign({ host, ipv4, handle }, random);
        if (assigned) held.push(assigned);
      } else {
        const [leaving] = held.splice(Math.floor(random() * held.length), 1) as [Assigned];
        const way = random() < 0.2 ? "handle" : "addresses";
        await this.#release(leaving, way);
        if (random() < 0.1) await this.#repeat(leaving, way);
      }
    }
    return held;
  }

  async #assign(
    body: { readonly host: string; readonly ipv4: number; readonly handle: string },
    random: () => number,
  ): Promise<Assigned | undefined> {
    const keyed = random() < 0.1;
    const key: Record<string, string> = keyed ? { "idempotency-key": `key of ${body.handle}` } : {};
    const send = () => this.#timed(this.assigns, "POST", "/v1/assign", body, key);
    const replies = keyed && random() < 0.5 ? await this.#twins(send) : [await send()];
    const reply = replies.find(({ status }) => status === 200);
    if (!reply) return undefined;
    const assigned: Assigned = reply.body;
    if (assigned.addresses.length !== body.ipv4)
      this.#fail(`${body.handle} asked for ${body.ipv4} and got ${assigned.addresses.length}`);
    for (const { address } of assigned.addresses) {
      const owner = this.#ledger.get(address);
      if (owner) this.#fail(`${address} was given to ${body.handle} while ${owner} held it`);
      this.#ledger.set(address, body.handle);
    }
    return assigned;
  }

  /** The same keyed request twice at once: the same addresses, or one of them is told that the other is at work. */
  async #twins(send: () => Promise<Reply>): Promise<readonly Reply[]> {
    this.#operationsLeft--;
    const replies = [...(await Promise.all([send(), send()]))];
    for (let attempt = 0; attempt < SETTLE_TRIES_MAX; attempt++) {
      const waiting = replies.every(({ body }) => body.code === "request_in_progress");
      if (!waiting) break;
      await sleep(RETRY_MS);
      replies.push(await send());
    }
    const served = replies.filter(({ status }) => status === 200);
    const texts = new Set(served.map(({ body }) => addressText(body)));
    if (texts.size > 1) this.#fail(`one key was answered with ${[...texts].join(" and with ")}`);
    const outcome = served.length > 1 ? "both answered alike" : "one answered, one in progress";
    this.twins.add(served.length > 0 ? outcome : "refused", 0);
    return replies;
  }

  async #release(assigned: Assigned, way: "addresses" | "handle"): Promise<void> {
    for (const { address } of assigned.addresses) this.#ledger.delete(address);
    const reply = await this.#sendRelease(this.releases, assigned, way);
    const released = releasedBy(reply);
    // A try that was refused for the moment may have given back what the next one finds given back.
    if (reply.tries > 1 || released.length === assigned.addresses.length) return;
    this.#fail(
      `the release of ${addressText(assigned)} of ${assigned.handle} answered ${JSON.stringify(reply.body)}`,
    );
  }

  /** A release that comes a second time changes nothing, whoever has the addresses by now. */
  async #repeat(assigned: Assigned, way: "addresses" | "handle"): Promise<void> {
    this.#operationsLeft--;
    const reply = await this.#sendRelease(this.repeats, assigned, way);
    const released = releasedBy(reply);
    if (released.length > 0)
      this.#fail(`a second release of ${assigned.handle} gave back ${released.join(", ")}`);
  }

  async #sendRelease(tally: Tally, { handle, addresses }: Assigned, way: "addresses" | "handle") {
    const body =
      way === "handle"
        ? { handle }
        : { addresses: addresses.map(({ address, generation }) => ({ address, generation })) };
    for (let tries = 1; ; tries++) {
      const reply = await this.#timed(tally, "POST", "/v1/release", body);
      if (reply.status < 500 || tries === SETTLE_TRIES_MAX) return { ...reply, tries };
      await sleep(RETRY_MS);
    }
  }

  /** What is held at the end is what the server says is held. */
  async #agrees({ handle, addresses }: Assigned): Promise<void> {
    const { body } = await this.#client.call("GET", `/v1/handles/${encodeURIComponent(handle)}`);
    if (!body.addresses || addressText(body) !== addressText({ addresses }))
      this.#fail(
        `${handle} holds ${addressText({ addresses })}, the server says ${JSON.stringify(body)}`,
      );
    for (const { address } of addresses) {
      const { body } = await this.#client.call("GET", `/v1/addresses/${address}`);
      if (body.handle !== handle)
        this.#fail(`${address} is of ${handle}, the server says ${JSON.stringify(body)}`);
    }
  }

  /** Nothing leaked: every address of the pool can be assigned again. */
  async #fillAndEmpty(): Promise<void> {
    const wanted = Array.from({ length: HOSTS * ADDRESSES_PER_HOST }, (_, i) => i);
    const filled = await inParallel(wanted, this.#options.callers, (i) =>
      this.#assign({ host: `host-${i % HOSTS}`, ipv4: 1, handle: `fill-${i}` }, () => 1),
    );
    const held = filled.filter((assigned) => assigned !== undefined);
    if (held.length !== wanted.length)
      this.#fail(`of ${wanted.length} addresses ${held.length} could be assigned at the end`);
    await inParallel(held, this.#options.callers, (assigned) =>
      this.#release(assigned, "addresses"),
    );
  }

  async #timed(
    tally: Tally,
    method: string,
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply> {
    const startedAtMs = performance.now();
    const reply = await this.#client.call(method, path, body, headers);
    tally.add(reply.body.code ?? "ok", performance.now() - startedAtMs);
    return reply;
  }

  #fail(failure: string): void {
    this.#failures.push(failure);
  }
}

const addressText = ({ addresses }: Pick<Assigned, "addresses">) =>
  addresses
    .map(({ address }) => address)
    .sort()
    .join(" ");

function releasedBy({ body }: Pick<Reply, "body">): string[] {
  if (body.released) return body.released;
  const results: { address: string; status: string }[] = body.results ?? [];
  return results.filter(({ status }) => status === "released").map(({ address }) => address);
}

/** Mulberry32: the choices of a caller follow from the seed; how calls interleave does not. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plat as its users run it, in a process of its own over a DynamoDB that the checker can look into as well. */
async function startServer(endpoint: string): Promise<{ server: ChildProcess; url: string }> {
  const main = fileURLToPath(new URL("../src/local/main.ts", import.meta.url));
  // Both passes run all the time: they must not take anything from a caller either.
  const passes = ["--reclaim-seconds", "1", "--collect-seconds", "1"];
  const server = spawn(process.execPath, ["--import", "tsx", main, "--port", "0", ...passes], {
    env: { ...process.env, DYNAMODB_ENDPOINT: endpoint },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    const [, url] = /listens on (\S+)/.exec(line) ?? [];
    if (url) return { server, url };
  }
  throw new Error("the server did not start");
}

async function prepare(client: Client): Promise<void> {
  const config = { cooldownSeconds: 0, blockMinAgeSeconds: 0, maxBlocksPerHost: 1 };
  for (const [path, body] of [
    ["/v1/config", config],
    ["/v1/pools/race", { cidr: "10.0.0.0/24", blockSize: 28 }],
  ] as const) {
    const reply = await client.call("PUT", path, body);
    if (reply.status !== 201)
      throw new Error(
        `PUT ${path} answered ${reply.status}: ${reply.body.detail}; the race needs a table of its own`,
      );
  }
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      operations: { type: "string", default: "20000" },
      callers: { type: "string", default: "64" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      url: { type: "string" },
    },
  });
  const whole = (name: "operations" | "callers" | "seed") => {
    const number = Number(values[name]);
    if (Number.isSafeInteger(number) && number >= 0) return number;
    console.error(`--${name} is "${values[name]}"; it must be a whole number.`);
    process.exit(2);
  };
  return {
    operations: whole("operations"),
    callers: whole("callers"),
    seed: whole("seed"),
    url: values.url,
  };
}

async function check(endpoint: string): Promise<readonly string[]> {
  const context = contextOf(dynamoTable(dynamoClient(endpoint), TABLE_NAME));
  const { violations, counts } = await checkTable(context);
  console.log(
    `The checker read ${counts.blocks} blocks, ${counts.rows} rows and ${counts.records} records: ${violations.length} violations.`,
  );
  const left = counts.taken > 0 ? [`${counts.taken} addresses are taken after the race`] : [];
  return [...violations.map(({ invariant, message }) => `${invariant}: ${message}`), ...left];
}

const options = readOptions();
console.log(
  `${options.callers} callers, ${options.operations} operations, ${HOSTS} hosts on 10.0.0.0/24 in /28 blocks, seed ${options.seed}.`,
);
const watchdog = setTimeout(() => {
  console.error(`FAILED: not finished in ${RUN_MS_MAX / 60_000} minutes`);
  process.exit(1);
}, RUN_MS_MAX);
const emulator: Emulator | undefined = options.url ? undefined : await startEmulator();
const endpoint = emulator?.endpoint ?? process.env.DYNAMODB_ENDPOINT;
const started = emulator && (await startServer(emulator.endpoint));
const client = makeClient(started?.url ?? (options.url as string), 2 * options.callers);
await prepare(client);

const race = new Race(client, options);
const startedAtMs = performance.now();
const failures = [...(await race.run())];
const seconds = (performance.now() - startedAtMs) / 1000;

const row = (calls: string, tally: Tally) => ({
  calls,
  count: tally.count,
  ok: tally.ok,
  other: tally.refusals,
  "p50 ms": tally.quantileMs(0.5).toFixed(1),
  "p99 ms": tally.quantileMs(0.99).toFixed(1),
});
console.log(
  tableText([
    row("assign", race.assigns),
    row("release", race.releases),
    row("release again", race.repeats),
    row("same key at once", race.twins),
  ]),
);
const calls = race.assigns.count + race.releases.count + race.repeats.count;
console.log(`${calls} calls in ${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(0)} a second.`);

if (endpoint) failures.push(...(await check(endpoint)));
else console.log("The table is not checked: DYNAMODB_ENDPOINT does not say where it is.");
client.close();
if (started) {
  started.server.kill("SIGTERM");
  await once(started.server, "exit");
}
await emulator?.stop();
clearTimeout(watchdog);
for (const failure of failures) console.error(`FAILED: ${failure}`);
if (failures.length === 0) console.log("No address was held twice, and none was lost.");
process.exit(failures.length === 0 ? 0 : 1);
