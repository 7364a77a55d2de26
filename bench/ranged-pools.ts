import { Rejection } from "../src/base/outcome.ts";
import { assign } from "../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { blocksOfGroup, groupAt } from "../src/kernel/values/block-group.ts";
import { hostId } from "../src/kernel/values/host.ts";
import { subtract } from "../src/net/address-set.ts";
import { type Cidr, intervalOf } from "../src/net/cidr.ts";
import type { Pool, PoolSpec } from "../src/nouns/pool/pool.ts";
import type { Budget } from "../test/operations/measured.ts";
import { assigned } from "./asked.ts";
import { putBlock } from "./fill.ts";
import type { Bench, Line } from "./operations.ts";
import { makePool, readCidr } from "./pool.ts";

const SPACE = "ranged";
const BLOCK_ADDRESSES = 64;

/**
 * Measures assigns from a pool whose set begins and ends within a block of a /20. All blocks of the set lie in one block
 * group.
 */
export async function measureRanged(bench: Bench): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const measured = async (
    operation: string,
    fill: string,
    budget: Budget,
    act: () => Promise<unknown>,
  ) => {
    const cost = await bench.meter.measure(async () => {
      await act();
    });
    lines.push({ operation, size: "/20", fill, cost, budget });
  };
  const pool = await makePool(
    bench.cold(),
    { space: SPACE, name: "red", cidr: "10.0.0.0/20" },
    allButEnds(readCidr("10.0.0.0/20")),
  );
  const warm = bench.cold();
  // The function knows the configuration, and none of the hosts below.
  await assigned(warm, { ...requestOf("other"), addresses: [intervalAt(pool, 70)] });
  const one = (context: Context, host: string) => () => assigned(context, requestOf(host));

  await measured("assign, ranged, that makes a block", "0 %", [7, 6, 5], one(warm, "owner"));
  await measured("… warm", "0 %", [2, 3, 0], one(warm, "owner"));
  const second = bench.cold();
  await assigned(second, { ...requestOf("other"), addresses: [intervalAt(pool, 71)] });
  await measured("… host not seen before", "0 %", [4, 4, 4], one(second, "owner"));
  const turns = await useByTurns(bench.cold());
  await measured("… warm, two pools of one network by turns", "0 %", [2, 3, 0], turns);

  await fillSet(bench.cold(), pool, 1);
  await measured("assign, ranged, host not seen before", "99 %", [12, 10, 60], one(second, "late"));
  await fillSet(bench.cold(), pool, 0);
  const refused = bench.cold();
  await measured("assign, ranged, that is rejected", "full", [12, 1, 60], async () => {
    const answer = await assign(refused, requestOf("too-late"));
    if (!(answer instanceof Rejection)) throw new Error("a full pool gave an address");
  });
  return lines;
}

/** Assigns to one host from two pools of one network, whose sets have no block in common. Returns the next turn. */
async function useByTurns(context: Context): Promise<() => Promise<Assignment>> {
  const cidr = "10.1.0.0/24";
  const { family, first } = intervalOf(readCidr(cidr));
  const half = (n: bigint) => ({ family, first: first + n * 128n, last: first + n * 128n + 127n });
  for (const n of [0n, 1n])
    await makePool(context, { space: SPACE, name: `half-${n}`, cidr }, { ranges: [half(n)] });
  const take = (n: 0 | 1) => assigned(context, requestOf("both", `half-${n}`));
  for (const n of [0, 1] as const) await take(n);
  return () => take(0);
}

/** A set that begins and ends within a block. */
function allButEnds(cidr: Cidr): Pick<PoolSpec, "ranges" | "excludes"> {
  const { family, first, last } = intervalOf(cidr);
  return {
    ranges: subtract([intervalOf(cidr)], [{ family, first, last: first + 9n }]),
    excludes: [{ family, first: last, last }],
  };
}

/** Fills every block of the set but for some addresses of the last one. */
async function fillSet(context: Context, pool: Pool, left: number): Promise<void> {
  const blocks = blocksOfGroup(pool, groupAt(pool, 0n));
  for (const [i, cidr] of blocks.entries()) {
    const current = await context.store.readBlock(SPACE, cidr);
    if (current) await context.store.deleteBlock(current);
    const free = i === blocks.length - 1 ? left + 1 : 0;
    await putBlock(context, pool, cidr, BLOCK_ADDRESSES - free);
  }
}

const intervalAt = ({ cidr }: Pool, ordinal: number) => ({
  family: cidr.family,
  value: cidr.base + BigInt(ordinal),
});

let handles = 0;

const requestOf = (host: string, pool = "red"): AssignRequest => ({
  space: SPACE,
  host: hostId("host", host),
  wanted: [{ family: 4, count: 1 }],
  handle: `handle-${handles++}`,
  attributes: { pod: "web-0", namespace: "shop" },
  pools: [pool],
  digest: "digest",
});
