import { GRACE_MS } from "../../base/limits.ts";
import { fence } from "../../kernel/blocks/fence-block.ts";
import type { Context } from "../../kernel/core/context.ts";
import type { BorrowedBlock } from "../../kernel/values/borrowed-block.ts";
import { fresh } from "../../kernel/values/fresh.ts";
import type { Holders } from "./slot-holders.ts";

/**
 * Deletes a borrowed-block entry that its host does not need any more. It marks the entry, fences the block, reads the
 * block again, and only then deletes the entry. An assign in progress finds the mark, or fails at the fence. Returns
 * whether the entry was deleted.
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
    // Eventually consistent: the block after the fence decides.
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
  // The owner of the block does not matter: a block that is the host's own today may be about to be taken from it.
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
