import type { AffinityRow } from "../domain/affinity.ts";
import type { HostId } from "../domain/host.ts";
import type { Loan } from "../domain/loan.ts";
import type { Context } from "./context.ts";

/**
 * What names the blocks that a host has, and those in which it holds something (I11). The loans are read after the rows:
 * a block that is taken from its host has a loan before it loses its row, and must not be missed between the two.
 */
export async function namedBlocks(
  { store }: Context,
  space: string,
  host: HostId,
): Promise<{ readonly rows: readonly AffinityRow[]; readonly loans: readonly Loan[] }> {
  const rows = await store.listRows(space, host);
  return { rows, loans: await store.listLoans(space, host) };
}
