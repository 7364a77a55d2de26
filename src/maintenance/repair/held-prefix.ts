import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import type { Allocation } from "../../kernel/values/allocation.ts";
import { childLeftIn } from "../../nouns/prefix/operations/child-pool.ts";

/** Lets the prefix of an allocation go if the pool that was made of it is gone: its creation or its deletion was cut off. */
export async function repairHeldPrefix(context: Context, seen: Allocation): Promise<void> {
  const { childId, place } = seen;
  if (childId === undefined) return;
  const { pools } = await configurationOf(context, place.space);
  if (!pools.some(({ id }) => id === childId)) await childLeftIn(context, seen);
}
