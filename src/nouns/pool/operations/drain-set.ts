import type { CorruptItemError } from "../../../base/outcome.ts";
import { fence } from "../../../kernel/blocks/fence-block.ts";
import { mayBeOf, touches } from "../../../kernel/blocks/walk-pool.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { groupAt } from "../../../kernel/values/block-group.ts";
import type { AddressSet } from "../../../net/address-set.ts";
import type { GroupCounts } from "../../job/job.ts";
import { usedIn } from "../../utilization/used-in.ts";
import { JOB_BLOCKS_AT_ONCE } from "../limits.ts";
import { cooldownMsOf, type Pool } from "../pool.ts";

/** The addresses of a ranged pool that a walk looks for in a block group. */
interface Looked {
  readonly pool: Pool;
  readonly set: AddressSet;
  readonly index: bigint;
}

/**
 * Counts what is taken and what cools of a set of a ranged pool in a block group. The blocks stay: other pools may have addresses in
 * them. A walk that can prove the set unused fences each block first, so that a late slot write fails (rule 1).
 *
 * @param mayProve true if no function assigns from the set any more
 * @returns the counts: a block counts if an address of the set is taken or cools in it; and the items that cannot be read
 */
export async function drainSet(
  context: Context,
  { pool, set, index }: Looked,
  mayProve: boolean,
): Promise<GroupCounts & { readonly failures: readonly CorruptItemError[] }> {
  const { space } = pool;
  const inGroup = await context.store.scanGroup(space, groupAt(pool, index), { consistent: true });
  const current = inGroup.filter((block) => mayBeOf(pool, block) && touches(set, block.cidr));
  const { settings } = await configurationOf(context, space);
  const cooldownMs = cooldownMsOf(pool, settings);
  const failures: CorruptItemError[] = [];
  const done = { blocks: 0, deleted: 0, taken: 0, cooling: 0 };
  let readyAtMs = 0;
  await inParallel(current, JOB_BLOCKS_AT_ONCE, async (seen) => {
    if (seen.unreadable) {
      // The contents of an unreadable block are unknown.
      failures.push(seen.unreadable);
      done.blocks++;
      return;
    }
    const block = mayProve ? await fence(context, "drain-fence", space, seen.cidr) : seen;
    if (!block) return;
    const { taken, coolingUntilMs } = usedIn(block, set, { nowMs: context.now(), cooldownMs });
    done.taken += taken;
    done.cooling += coolingUntilMs.length;
    readyAtMs = Math.max(readyAtMs, ...coolingUntilMs);
    if (taken + coolingUntilMs.length > 0) done.blocks++;
  });
  const [first] = failures;
  return {
    ...done,
    ...(first && { unreadable: first.message }),
    ...(readyAtMs > 0 && { readyAtMs }),
    failures,
  };
}
