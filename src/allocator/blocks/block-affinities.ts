import { type AffinityRow, lowestFreePlace } from "../../domain/affinity.ts";
import type { Block } from "../../domain/block.ts";
import { sameCidr } from "../../domain/cidr.ts";
import { SWAP_TRIES_MAX } from "../../domain/limits.ts";
import { Contended } from "../../domain/outcome.ts";
import { type Context, fresh } from "../core/context.ts";

/** Confirms a row as it was seen; false if it has changed since. What the claim was for stands in the block by now. */
export async function confirmRow(
  context: Context,
  step: string,
  row: AffinityRow,
): Promise<boolean> {
  const { hostReserved: _, ...rest } = row;
  const next = { ...rest, state: "confirmed", revision: fresh(context) } as const;
  return (await context.store.changeRow(step, row, next)).outcome !== "lost";
}

/** Writes the row of a block that its host has lost the row of, at the lowest free place. A row that is about to go is none. */
export async function restoreRow(
  context: Context,
  lost: Pick<AffinityRow, "space" | "host" | "family" | "block" | "pool">,
): Promise<void> {
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    const rows = await context.store.listRows(lost.space, lost.host);
    if (rows.some((row) => sameCidr(row.block, lost.block) && row.state !== "pendingDeletion"))
      return;
    const { space, host, family, block, pool } = lost;
    const written = await context.store.createRow({
      space,
      host,
      family,
      block,
      pool,
      place: lowestFreePlace(rows, family),
      state: "confirmed",
      revision: fresh(context),
      atMs: context.now(),
    });
    if (written.outcome === "done") return;
  }
  throw new Contended("the places of a host kept changing while a row was restored");
}

/**
 * Marks the rows of a block that is about to change hands or to go; nothing if one of them changed meanwhile. What calls the
 * block full for its host goes with them.
 */
export async function retireRows(
  context: Context,
  { space, host, cidr }: Block,
): Promise<readonly AffinityRow[] | undefined> {
  if (host === undefined) return [];
  const retired: AffinityRow[] = [];
  const { rows, full } = await context.store.listPlaces(space, host);
  const hint = full.find(({ block }) => sameCidr(block, cidr));
  if (hint) await context.store.clearBlockFull("full-retired", hint);
  for (const row of rows) {
    if (!sameCidr(row.block, cidr)) continue;
    const next = {
      ...row,
      state: "pendingDeletion",
      revision: fresh(context),
      atMs: context.now(),
    } as const;
    const result = await context.store.changeRow("row-retire", row, next);
    if (result.outcome !== "done") return undefined;
    retired.push(next);
  }
  return retired;
}
