import type { Block } from "../domain/block.ts";
import { GRACE_MS, PAGE_READS_AT_ONCE } from "../domain/limits.ts";
import type { Loan } from "../domain/loan.ts";
import { type Context, fresh } from "./context.ts";
import { fence } from "./fence.ts";
import { recordsOfSlots } from "./record-of-slot.ts";

/**
 * Deletes a loan that its host needs no more: it is marked, the block fenced and looked at, and only then does the row go;
 * an assign under way finds the mark, or fails at the fence. Returns whether it went.
 */
export async function collectLoan(context: Context, seen: Loan): Promise<boolean> {
  const { store } = context;
  const { space, block: cidr } = seen;
  if (context.now() - seen.atMs <= GRACE_MS) return false;
  if (seen.state === "confirmed") {
    // Eventually consistent: what is decided by is the block after the fence.
    const block = await store.readBlock(space, cidr, { consistent: false });
    if (await isNeeded(context, seen, block)) return false;
  }
  const mark: Loan = {
    ...seen,
    state: "pendingDeletion",
    revision: fresh(context),
    atMs: context.now(),
  };
  const marked = await store.putLoan("loan-mark", mark, seen);
  if (marked.outcome !== "done") return false;
  const after = await fence(context, "loan-fence", space, cidr);
  if (await isNeeded(context, seen, after)) {
    await store.putLoan("loan", { ...mark, state: "confirmed", revision: fresh(context) }, mark);
    return false;
  }
  await store.deleteLoan("loan-drop", mark);
  return true;
}

/**
 * Does the host hold a slot of the block? The records of the slots say whose they are. Whose the block is does not matter:
 * one that is the host's own today may be about to be taken from it, and its loan was written first.
 */
async function isNeeded(context: Context, { space, host }: Loan, block: Block | undefined) {
  const slots = [...(block?.slots.values() ?? [])].filter(({ kind }) => kind === "taken");
  for (let from = 0; from < slots.length; from += PAGE_READS_AT_ONCE) {
    const some = slots.slice(from, from + PAGE_READS_AT_ONCE);
    const owners = await recordsOfSlots(context, space, some);
    for (const { record } of owners.values()) if (record.host === host) return true;
  }
  return false;
}
