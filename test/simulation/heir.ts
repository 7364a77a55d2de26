import { Rejection } from "../../src/base/outcome.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { subtract } from "../../src/net/address-set.ts";
import { intervalOf } from "../../src/net/cidr.ts";
import { listPools, putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import { addressSetOf } from "../../src/nouns/pool/set.ts";
import type { RangedPools } from "./ranged-pools.ts";
import { SPACE } from "./requests.ts";

/**
 * Gives a new pool all addresses that the sets of the ranged pools leave, after operators repeated what was cut off. If a pool
 * keeps an address outside of its set for good, it is lost to all others.
 */
export async function inherit(
  context: Context,
  { pools: [model], names }: RangedPools,
  scheduledRuns: () => Promise<void>,
): Promise<readonly Violation[]> {
  if (!model) return [];
  for (const { state, revision, ...pool } of await rangedIn(context, names)) {
    const { space, name, id, subnetId, adding, retiring, ...spec } = pool;
    // A pool that was never active serves nobody, and its operator gives it up.
    if (state === "pending") await deletePool(context, space, name, revision);
    if (state === "active") await putPool(context, space, name, spec, revision);
  }
  await scheduledRuns();
  const left = await rangedIn(context, names);
  const { name: _, ...plain } = model;
  const rest = subtract([intervalOf(plain.cidr)], ...left.map(addressSetOf));
  if (rest.length === 0) return [];
  const { ranges: __, ...whole } = plain;
  const heir: PoolSpec = left.length > 0 ? { ...plain, ranges: rest } : whole;
  const answer = await putPool(context, SPACE, "heir", heir, undefined);
  return answer instanceof Rejection ? [{ invariant: "I13", message: answer.detail }] : [];
}

async function rangedIn(context: Context, names: readonly string[]) {
  const { items } = await listPools(context, SPACE);
  return items.filter(({ name }) => names.includes(name));
}
