import type { AffinityRow } from "../../domain/affinity.ts";
import type { Loan } from "../../domain/borrowed-block.ts";
import type { Cidr } from "../../domain/cidr.ts";
import { formatCidr } from "../../domain/cidr.ts";
import type { HostId } from "../../domain/host.ts";
import type { Unreadable } from "../../domain/outcome.ts";
import type { Context } from "../core/context.ts";

/** What stands under a host. */
export interface NamedBlocks {
  readonly rows: readonly AffinityRow[];
  readonly loans: readonly Loan[];
  /** The blocks that these name, each once. */
  readonly cidrs: readonly Cidr[];
  /** Rows and loans that cannot be read: no reason to keep back what the others name. */
  readonly unreadable: readonly Unreadable[];
}

/**
 * What names the blocks that a host has, and those in which it holds something (I11). The loans are read after the rows:
 * a block that is taken from its host has a loan before it loses its row, and must not be missed between the two.
 */
export async function namedBlocks(
  { store }: Context,
  space: string,
  host: HostId,
): Promise<NamedBlocks> {
  const { rows, unreadable } = await store.listReadableRows(space, host);
  const { loans, unreadable: others } = await store.listLoans(space, host);
  const named = new Map([...rows, ...loans].map(({ block }) => [formatCidr(block), block]));
  return { rows, loans, cidrs: [...named.values()], unreadable: [...unreadable, ...others] };
}
