import type { Loan } from "../../../domain/borrowed-block.ts";
import { GRACE_MS } from "../../../domain/limits.ts";
import { fence } from "../../blocks/fence-block.ts";
import { type Context, fresh } from "../../core/context.ts";
import type { Holders } from "./slot-holders.ts";

/**
 * Deletes a loan that its host needs no more: it is marked, the block fenced and looked at, and only then does the row go;
 * an assign under way finds the mark, or fails at the fence. Returns whether it went.
 */
export async function collectLoan(
  context: Context,
  seen: Loan,
  holders: Holders,
): Promise<boolean> {
  const { store } = context;
  const { space, block: cidr, host } = seen;
  if (context.now() - seen.atMs <= GRACE_MS) return false;
  if (seen.state === "confirmed") {
    // Eventually consistent: what is decided by is the block after the fence.
    const block = await store.readBlock(space, cidr, { consistent: false });
    if (block && (await holders.hold(host, block))) return false;
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
  // Whose the block is does not matter: one that is the host's own today may be about to be taken from it.
  if (after && (await holders.hold(host, after))) {
    await store.putLoan("loan", { ...mark, state: "confirmed", revision: fresh(context) }, mark);
    return false;
  }
  await store.deleteLoan("loan-drop", mark);
  return true;
}
