import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bundleServer } from "../../pack/server-bundle.ts";
import { type Client, makeClient } from "../../src/local/client.ts";

/** What a process runs. A name with `alone` publishes nothing, and keeps no changes for that. */
export const CONTESTANTS = [
  "memory",
  "memory alone",
  "file",
  "file alone",
  "dynamodb",
  "echo",
  "raw writes",
] as const;
export type ContestantName = (typeof CONTESTANTS)[number];

/** A question: the processor time so far, that time after some raw writes, or the end. */
export type Question = "processor" | { readonly callers: number; readonly ms: number } | "stop";
export type Answer =
  | { readonly url: string }
  | { readonly processorMs: number; readonly pairs: number };

/** Callers that assign and release, spread over hosts. */
export interface Case {
  readonly callers: number;
  readonly hosts: number;
}

/** The result of a turn. */
export interface Turn {
  readonly perSecond: number;
  /** The processor time of the server for each pair, with the publishing of the pair. */
  readonly processorMs: number;
}

export interface Contestant {
  readonly name: ContestantName;
  turn(group: Case, ms: number): Promise<Turn>;
}

const SOCKETS_MAX = 64;
const POOL = { cidr: "10.0.0.0/12", blockSize: 26 };
/** Calico assigns a released address immediately. */
const SETTINGS = { cooldownSeconds: 0, maxBlocksPerHost: 1_000 };
/** After a turn, the server publishes what waits: while somebody polls it does so every second. */
const PUBLISHED_MS = 1_500;

/**
 * Starts each contestant in a process of its own, as `npm start` runs it, and passes them to `act`. The callers are in
 * this process, and keep their connections.
 */
export async function withContestants<T>(
  names: readonly ContestantName[],
  act: (contestants: readonly Contestant[]) => Promise<T>,
): Promise<T> {
  const program = await bundleServer("bench/speed/contestant.ts");
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  const processes: ChildProcess[] = [];
  const clients: Client[] = [];
  try {
    const contestants = await Promise.all(
      names.map(async (name): Promise<Contestant> => {
        const child = fork(program, [name, directory], { execArgv: [] });
        processes.push(child);
        const [{ url }] = (await once(child, "message")) as [{ url: string }];
        const ask = async (question: Question) => {
          child.send(question);
          const [answer] = (await once(child, "message")) as [Exclude<Answer, { url: string }>];
          return answer;
        };
        const client = makeClient(url, SOCKETS_MAX);
        clients.push(client);
        if (url !== "") await prepare(client);
        const pairs = async (group: Case, ms: number) =>
          url === ""
            ? (await ask({ callers: group.callers, ms })).pairs
            : pairsThrough(client, group, ms);
        return { name, turn: (group, ms) => turnOf({ ask, pairs, client, name }, group, ms) };
      }),
    );
    return await act(contestants);
  } finally {
    for (const client of clients) client.close();
    for (const child of processes) {
      child.send("stop" satisfies Question);
      await once(child, "exit");
    }
    await rm(directory, { recursive: true });
  }
}

async function turnOf(
  {
    ask,
    pairs,
    client,
    name,
  }: {
    readonly ask: (question: Question) => Promise<{ readonly processorMs: number }>;
    readonly pairs: (group: Case, ms: number) => Promise<number>;
    readonly client: Client;
    readonly name: ContestantName;
  },
  group: Case,
  ms: number,
): Promise<Turn> {
  const isPublished = name === "memory" || name === "file";
  if (isPublished) await expect(client.call("GET", "/v1/events"), 200);
  const before = await ask("processor");
  const beganAtMs = performance.now();
  const done = await pairs(group, ms);
  const tookMs = performance.now() - beganAtMs;
  if (isPublished) await sleep(PUBLISHED_MS);
  const { processorMs } = await ask("processor");
  return {
    perSecond: (1_000 * done) / tookMs,
    processorMs: (processorMs - before.processorMs) / done,
  };
}

async function prepare(client: Client): Promise<void> {
  await expect(client.call("PUT", "/v1/config", SETTINGS), 201);
  await expect(client.call("PUT", "/v1/pools/pods", POOL), 201);
}

let named = 0;

/** Returns the pairs that all callers of the case did together. */
async function pairsThrough(client: Client, { callers, hosts }: Case, ms: number): Promise<number> {
  const untilMs = performance.now() + ms;
  let done = 0;
  const calling = Array.from({ length: callers }, async (_, caller) => {
    const host = `node-${callers}-${caller % hosts}`;
    const attributes = { pod: `pod-${caller}` };
    while (performance.now() < untilMs) {
      const request = { host, ipv4: 1, handle: `pod-${named++}`, attributes };
      const { body } = await served(() => client.call("POST", "/v1/assign", request));
      const [{ address, generation }] = body.addresses;
      const release = { addresses: [{ address, generation }] };
      const told = await served(() => client.call("POST", "/v1/release", release));
      if (told.body.results[0].status !== "released")
        throw new Error(`the release of ${address} answered ${told.body.results[0].status}`);
      done++;
    }
  });
  await Promise.all(calling);
  return done;
}

/** Repeats a call that a slow table throttles. */
async function served(call: () => ReturnType<Client["call"]>) {
  let reply = await call();
  while (reply.status > 500) reply = await call();
  return expect(Promise.resolve(reply), 200);
}

async function expect(call: ReturnType<Client["call"]>, status: number) {
  const reply = await call;
  if (reply.status !== status)
    throw new Error(`expected ${status}, got ${reply.status}: ${reply.body.detail}`);
  return reply;
}

/** Returns the ratios of two contestants, round by round. */
export const ratiosOf = (
  ours: readonly Turn[],
  theirs: readonly Turn[],
  of: (turn: Turn) => number,
): readonly number[] =>
  ours.flatMap((turn, round) => {
    const other = theirs[round];
    return other ? [of(turn) / of(other)] : [];
  });
