import { ContentionError, Rejection } from "../../src/base/outcome.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { WarmCache } from "../../src/kernel/core/warm-cache.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { type Random, shuffled } from "../../src/kernel/values/fresh.ts";
import { makeStore } from "../../src/store/stack.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { reclaimSpaces, repairAll } from "../scheduled-runs.ts";
import { seededRandom } from "./random.ts";
import { SPACE, SPACES } from "./requests.ts";

/** A copy of a table with a clock of its own, in which everybody else has stopped. */
interface Fork {
  readonly table: InMemoryTable;
  readonly context: Context;
  readonly clock: { nowMs: number };
}

/** The times of a space after which time alone frees nothing more. */
export interface LongestTimes {
  readonly cooldownMs: number;
  readonly blockMinAgeMs: number;
}

const LEASE_SECONDS = 90;
const ASSIGNS_MAX = 100;
const CONTENDED_MAX = 8;
const RUN_EVERY_MS = 60_000;
/** The scheduled runs that may lie between two steps of what frees an address: idle mark, deletion, and the runs that free leases. */
const RUNS_AFTER = 6;
/** The codes that say whether time helps. Quotas and conditions do not. */
const JUDGED = new Set(["pool_exhausted", "block_limit", "strict_affinity", "already_assigned"]);

/** Returns a fork of a table at a time, whose function has just started. */
function forked(table: InMemoryTable, nowMs: number, random: Random): Fork {
  const copy = new InMemoryTable();
  for (const [pk, partition] of table.partitions) copy.partitions.set(pk, new Map(partition));
  const clock = { nowMs };
  const context: Context = {
    store: makeStore(copy),
    random,
    cache: new WarmCache(),
    now: () => clock.nowMs,
    sleep: async () => {},
  };
  return { table: copy, context, clock };
}

/**
 * Fills the pools of a request in a fork, frees a part of it again, and judges what the request is answered then: whoever is told that
 * time helps must be served by the time that the answer names, and whoever is told that it does not must not be served after the longest
 * cooldown, minimum age and lease.
 */
export async function judgeRetryable(
  { table, clock }: Pick<Fork, "table" | "clock">,
  asked: AssignRequest,
  longest: LongestTimes,
  random: Random,
): Promise<readonly Violation[]> {
  const fork = forked(table, clock.nowMs, random);
  const { limitPerHandle: _, keyId: __, ...plain } = { ...asked, allowPartial: false };
  const held: string[] = [];
  for (let n = 0; n < ASSIGNS_MAX; n++) {
    const handle = `filler-${n}`;
    const isLeased = random.fraction() < 0.1;
    const more = { handle, digest: handle, ...(isLeased && { leaseSeconds: LEASE_SECONDS }) };
    if ((await answerTo(fork.context, { ...plain, ...more })) instanceof Rejection) break;
    held.push(handle);
  }
  const share = random.fraction() < 0.3 ? 1 : random.fraction() < 0.5 ? 0.3 : 0;
  for (const handle of shuffled(held, random).slice(0, Math.ceil(held.length * share)))
    await releaseHandle(fork.context, SPACE, handle);
  const host = random.fraction() < 0.5 ? plain.host : ("host:late" as const);
  const request = { ...plain, host, handle: "judged", digest: "judged" };
  const answer = await answerTo(fork.context, request);
  return answer instanceof Rejection && JUDGED.has(answer.code)
    ? judgeAnswer(fork, request, answer, longest)
    : [];
}

/** Judges the rejection of a request that nobody but time can help. */
export async function judgeAnswer(
  { table, clock }: Pick<Fork, "table" | "clock">,
  request: AssignRequest,
  { code, detail, members }: Rejection,
  { cooldownMs, blockMinAgeMs }: LongestTimes,
): Promise<readonly Violation[]> {
  const { retryable, availableAt } = members;
  // Without a time it is enough that it may help: something was not read, or a lease may be renewed.
  if (retryable === true && availableAt === undefined) return [];
  const { context, clock: later } = forked(table, clock.nowMs, seededRandom(1));
  const untilMs =
    availableAt === undefined
      ? clock.nowMs +
        Math.max(cooldownMs, 1000 * LEASE_SECONDS) +
        cooldownMs +
        blockMinAgeMs +
        RUNS_AFTER * RUN_EVERY_MS
      : Date.parse(String(availableAt));
  while (later.nowMs < untilMs) {
    later.nowMs = Math.min(untilMs, later.nowMs + RUN_EVERY_MS);
    await reclaimSpaces(context, SPACES);
    await repairAll(context);
  }
  const answer = await answerTo(context, request);
  const isServed = !(answer instanceof Rejection) || isOfOthers(answer, members);
  if (isServed === (availableAt !== undefined)) return [];
  const outcome = answer instanceof Rejection ? `${answer.code}: ${answer.detail}` : "served";
  const told = availableAt === undefined ? "time does not help" : `served from ${availableAt} on`;
  return [{ invariant: "retryable", message: `${code}, ${told} (${detail}); then ${outcome}` }];
}

/**
 * Returns true if a rejection is of other families than those that an earlier one called missing. A time is that of what
 * is missing: until then reclaim may delete the empty block of another host from which the other family could borrow.
 */
function isOfOthers(answer: Rejection, told: Rejection["members"]): boolean {
  const families = new Set(familiesIn(told));
  const missing = familiesIn(answer.members);
  return missing.length > 0 && !missing.some((family) => families.has(family));
}

const familiesIn = ({ missing }: Rejection["members"]): readonly number[] =>
  Array.isArray(missing) ? missing.map(({ family }) => family) : [];

async function answerTo(context: Context, request: AssignRequest): Promise<Assignment | Rejection> {
  for (let tries = 1; ; tries++) {
    try {
      return await assign(context, request);
    } catch (error) {
      if (!(error instanceof ContentionError) || tries >= CONTENDED_MAX) throw error;
    }
  }
}
