import type { Allocation } from "../../../domain/allocation.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";
import { childLeftIn } from "../../prefixes/child-pool.ts";

/** Lets the prefix of an allocation go if the pool that was made of it is gone: its creation or its deletion was cut off. */
export async function repairHeldPrefix(context: Context, seen: Allocation): Promise<void> {
  const { childId, place } = seen;
  if (childId === undefined) return;
  const { pools } = await configurationOf(context, place.space);
  if (!pools.some(({ id }) => id === childId)) await childLeftIn(context, seen);
}
