import type { Session } from "../invocation/cli.ts";
import { counting, progressing } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { endList } from "../resource/none.ts";
import { type AddressInBlock, type BlockRead, knownBlocks, wholeBlocks } from "../space/blocks.ts";
import { type HeldAddress, readOwners } from "../space/handles.ts";

/** An address that a host has in a block that does not belong to it. */
interface Borrowed {
  readonly address: string;
  readonly host: string | undefined;
  readonly block: string;
  /** Absent if the block has no owner. */
  readonly blockOwner: string | undefined;
  readonly handle: string | undefined;
  readonly type: string | undefined;
  readonly allocatedTo: string | undefined;
}

const COLUMNS: readonly Column<Borrowed>[] = [
  { header: "IP", value: ({ address }) => address },
  { header: "BORROWING-NODE", value: ({ host }) => host, long: "cut" },
  { header: "BLOCK OWNER", value: ({ blockOwner }) => blockOwner, long: "cut" },
  { header: "TYPE", value: ({ type }) => type },
  { header: "ALLOCATED-TO", value: ({ allocatedTo }) => allocatedTo, long: "cut" },
  { header: "BLOCK", value: ({ block }) => block, wide: true },
  { header: "HANDLE", value: ({ handle }) => handle, wide: true },
];

/** Prints addresses of hosts in blocks of other hosts or without an owner. Reads all blocks in use. */
export async function showBorrowed(session: Session): Promise<void> {
  const { client, print, io } = session;
  const { rows, unknown, unreadable } = await progressing(io, "blocks", async (shown) => {
    const { items, unreadable } = await knownBlocks(client);
    const used = items.filter(({ inUse }) => inUse !== 0);
    const blocks = await wholeBlocks(
      client,
      used.map(({ cidr }) => cidr),
      counting(shown, "blocks", used.length),
    );
    const addresses = blocks.flatMap((block) => block.addresses.map((each) => ({ block, each })));
    const borrowed = addresses.filter(({ each }) => each.borrowed);
    const owners = await readOwners(
      client,
      borrowed.map(({ each }) => each),
      counting(shown, "handles"),
    );
    return {
      unreadable,
      rows: borrowed.map(({ block, each }) => rowOf(block, each, owners.get(each.address))),
      unknown: addresses.filter(
        ({ each }) => each.state === "assigned" && each.borrowed === undefined,
      ).length,
    };
  });
  print({ columns: COLUMNS, rows, document: { borrowed: rows } });
  if (unknown > 0)
    io.err(
      `Note: addresses without a known owner, because their allocations were not found: ${unknown}.\n`,
    );
  // Addresses without a known owner may be borrowed, so no note says that none are.
  const items = unknown > 0 ? [unknown] : rows;
  await endList(session, { items, unreadable }, "borrowed addresses");
}

function rowOf(
  { cidr, host: blockOwner }: BlockRead,
  { address, host, handle }: AddressInBlock,
  owned: HeldAddress | undefined,
): Borrowed {
  const attributes = owned?.handle === handle ? owned?.owner?.active : undefined;
  return { address, host, block: cidr, blockOwner, handle, ...userByAttributes(attributes) };
}

/** Returns the user of an address, by the attribute names of Calico. */
export function userByAttributes(attributes: Readonly<Record<string, string>> = {}) {
  const { namespace = "", pod, type, "vmi-name": machine } = attributes;
  if (machine !== undefined) return { type: "vmi", allocatedTo: `${namespace}/${machine}` };
  if (pod !== undefined) return { type: "pod", allocatedTo: `${namespace}/${pod}` };
  return { type, allocatedTo: undefined };
}
