import type { BorrowedBlock } from "../../../domain/borrowed-block.ts";
import { GRACE_MS } from "../../../domain/limits.ts";
import { fence } from "../../blocks/fence-block.ts";
import { type Context, fresh } from "../../core/context.ts";
import type { Holders } from "./slot-holders.ts";

/**
 * Deletes a borrowed block that its host needs no more: it is marked, the block fenced and looked at, and only then does the entry go;
 * an assign under way finds the mark, or fails at the fence. Returns whether it went.
 */
export async function repairBorrowedBlock(
  context: Context,
  seen: BorrowedBlock,
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
  const mark: BorrowedBlock = {
    ...seen,
    state: "pendingDeletion",
    revision: fresh(context),
    atMs: context.now(),
  };
  const marked = await store.putBorrowedBlock("borrowed-mark", mark, seen);
  if (marked.outcome !== "done") return false;
  const after = await fence(context, "borrowed-fence", space, cidr);
  // Whose the block is does not matter: one that is the host's own today may be about to be taken from it.
  if (after && (await holders.hold(host, after))) {
    await store.putBorrowedBlock(
      "borrowed",
      { ...mark, state: "confirmed", revision: fresh(context) },
      mark,
    );
    return false;
  }
  await store.deleteBorrowedBlock("borrowed-drop", mark);
  return true;
}
