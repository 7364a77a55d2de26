import { ContentionError, Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { assigned, give } from "../asked.ts";
import { makePool } from "../pool.ts";
import { type Bed, requestOf } from "./bed.ts";
import { fillUp } from "./fills.ts";
import { RawPairs } from "./raw.ts";
import { type Contest, oneByOne } from "./turns.ts";

const CIDR = "10.0.0.0/16";
/**
 * If a request is repeated immediately, it finds the last address within this many tries; otherwise something is wrong.
 */
const TRIES_MAX = 1_000;
const BLOCK_ADDRESSES = 64;

/** Measures the assign of the last address of a /16 of 1,024 blocks, and the rejection after it. */
export async function fullContests(bed: Bed, ms: number): Promise<readonly Contest[]> {
  await makePool(bed.coldFunction(), { space: "raw", name: "pool", cidr: CIDR });
  const slot = await (await RawPairs.recorded(bed, "raw")).slotOf("node", 0);
  const raw = () =>
    oneByOne(ms, 2, async () => {
      await slot.assign();
      return slot.release;
    });
  await fillPool(bed, "full", 0);
  await fillPool(bed, "last", 1);
  const owner = bed.coldFunction();
  for (let taken = 1; taken < BLOCK_ADDRESSES; taken++)
    await assigned(owner, requestOf("last", "owner"));

  const warm = await warmFunction(bed, "full");
  const stranger = await warmFunction(bed, "last");
  let hosts = 0;
  const newcomer = (space: string) => requestOf(space, `newcomer-${hosts++}`);
  const refused = async (context: Context) => {
    const told = await assign(context, newcomer("full"));
    if (!(told instanceof Rejection)) throw new Error("a full pool gave an address");
    return undefined;
  };
  const acts = {
    "the last address, by a cold function of its host": async () => {
      const context = bed.coldFunction();
      const told = await assigned(context, requestOf("last", "owner"));
      return () => give(context, "last", told);
    },
    "the last address, borrowed by a host that has none, asked for until it is found": async () => {
      const told = await insisted(stranger, newcomer("last"));
      return () => give(stranger, "last", told);
    },
    "the rejection of a full pool, by a warm function": () => refused(warm),
    "the rejection of a full pool, by a cold function": () => refused(bed.coldFunction()),
  };
  return Object.entries(acts).map(([name, act]) => ({
    section: "full",
    name,
    callers: 1,
    beside: "PutItem, UpdateItem",
    ours: () => oneByOne(ms, () => bed.calls, act),
    raw,
  }));
}

async function fillPool(bed: Bed, space: string, free: number): Promise<void> {
  const pool = await makePool(bed.coldFunction(), { space, name: "pool", cidr: CIDR });
  await fillUp(bed, pool, free);
}

/** Returns a function that knows the configuration of the space, and none of its blocks. */
async function warmFunction(bed: Bed, space: string): Promise<Context> {
  const context = bed.coldFunction();
  const told = await assign(context, { ...requestOf(space, "early"), pools: ["no-such-pool"] });
  if (!(told instanceof Rejection)) throw new Error("a pool that there is not gave an address");
  return context;
}

/** Repeats a request immediately, as long as the answer asks for a retry. */
async function insisted(context: Context, request: AssignRequest): Promise<Assignment> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const told = await assign(context, request).catch((error) => {
      if (error instanceof ContentionError) return undefined;
      throw error;
    });
    if (told && !(told instanceof Rejection)) return told;
    if (told && !told.members.retryable) throw new Error(`${told.code}: ${told.detail}`);
  }
  throw new Error(`the last address was not found in ${TRIES_MAX} tries`);
}
