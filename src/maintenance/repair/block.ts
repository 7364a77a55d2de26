import { COOLDOWN_SECONDS_MAX, GRACE_MS } from "../../base/limits.ts";
import { deleteEmptyBlock } from "../../kernel/blocks/delete-empty-block.ts";
import { clearAround } from "../../kernel/blocks/full-group-hint.ts";
import type { Context } from "../../kernel/core/context.ts";
import { type Block, isEmpty } from "../../kernel/values/block.ts";
import { isPoolGone } from "./pool-gone.ts";

/**
 * Deletes an empty block whose pool is gone: its creation landed after the range was freed. No function can take a
 * slot of it, because every function that knew its pool as a serving one is shut out (`assign.ts`). Returns whether it was
 * deleted.
 */
export async function repairBlock(context: Context, seen: Block): Promise<boolean> {
  const nowMs = context.now();
  if (nowMs - seen.claimedAtMs <= GRACE_MS) return false;
  if (!isEmpty(seen, { nowMs, cooldownMs: 1000 * COOLDOWN_SECONDS_MAX })) return false;
  if (!((await isPoolGone(context, seen)) && (await deleteEmptyBlock(context, seen)))) return false;
  await clearAround(context, seen.space, seen.cidr);
  return true;
}
