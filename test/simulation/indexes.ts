import { EVERY_SHARD } from "../../src/base/hash.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Random } from "../../src/kernel/values/fresh.ts";
import { INDEX_SETTLE_MS } from "../../src/kernel/values/limits.ts";

/** The share of runs whose space has an index. */
const INDEXES_SHARE = 0.1;
const TENANTS = ["red", "blue", undefined];

/** Draws the indexed attributes of the space; none in most runs. */
export const drawIndexes = ({ fraction }: Random): readonly string[] =>
  fraction() < INDEXES_SHARE ? ["tenant"] : [];

/** Gives a request the tenant of an index, in a run that has one. */
export function withTenant(
  { fraction }: Random,
  indexes: readonly string[],
  request: AssignRequest,
): AssignRequest {
  if (indexes.length === 0) return request;
  const tenant = TENANTS[Math.floor(fraction() * TENANTS.length)];
  return tenant === undefined ? request : { ...request, attributes: { tenant } };
}

/** Lets the walks of the repair run have entered what a new space has: nothing. So its indexes are complete. */
export async function completeIndexes({ store, now }: Context): Promise<void> {
  const indexedFromMs = now() + INDEX_SETTLE_MS;
  for (const shard of EVERY_SHARD) await store.writeProgress(shard, { indexedFromMs });
}
