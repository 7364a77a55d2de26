import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { inParallel } from "../../src/kernel/core/parallel.ts";
import { assigned } from "../asked.ts";
import { inTurn, slowed } from "../one-machine.ts";
import { makePool } from "../pool.ts";
import { type Bed, requestOf } from "./bed.ts";
import { replay, writesOf } from "./raw.ts";
import { type Contest, processorTime, type Turn } from "./turns.ts";

/**
 * Measures hosts that request their first address at the same time, each with a cold function, in a /12 of 16,384
 * blocks. For comparison, as many callers make the same writes without conflicts.
 */
export async function crowdContest(bed: Bed, hosts: number): Promise<Contest> {
  let crowds = 0;
  const open = async () => {
    const space = `crowd-${crowds++}`;
    await makePool(bed.coldFunction(), { space, name: "pool", cidr: "10.0.0.0/12" });
    return space;
  };
  const lone = await open();
  const writes = writesOf(
    await bed.recording(() => assigned(bed.coldFunction(), requestOf(lone, "node"))),
  );
  return {
    section: "crowd",
    name: `${hosts.toLocaleString("en")} hosts at once`,
    callers: hosts,
    hosts,
    beside: `the ${writes.length} writes of one`,
    async ours() {
      const space = await open();
      const functions = Array.from({ length: hosts }, () => slowed(bed.coldFunction(inTurn)));
      const callsBefore = bed.calls;
      const turn = await atOnce(functions, (context, i) => firstOf(context, space, `node-${i}`));
      return { ...turn, calls: bed.calls - callsBefore };
    },
    async raw() {
      const crowd = crowds++;
      const numbers = Array.from({ length: hosts }, (_, i) => i);
      const turn = await atOnce(numbers, (i) => replay(bed, writes, `${crowd}-${i}`, inTurn));
      return { ...turn, calls: hosts * writes.length };
    },
  };
}

/** Assigns a first address. A rejection is an error, because the pool has room. */
async function firstOf(context: Context, space: string, host: string): Promise<void> {
  const told = await assign(context, requestOf(space, host));
  if (told instanceof Rejection) throw new Error(`${host} was rejected: ${told.detail}`);
}

async function atOnce<T>(
  all: readonly T[],
  act: (one: T, i: number) => Promise<unknown>,
): Promise<Omit<Turn, "calls">> {
  const ms: number[] = [];
  const beganAtMs = performance.now();
  const processor = processorTime();
  await inParallel([...all.entries()], all.length, async ([i, one]) => {
    await act(one, i);
    ms.push(performance.now() - beganAtMs);
  });
  return { ms, tookMs: performance.now() - beganAtMs, processorMs: processor() };
}
