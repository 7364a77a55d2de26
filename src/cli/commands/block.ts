import { Command } from "commander";
import type { AffinityType } from "../../kernel/values/host.ts";
import { type IpamBlock, ipamBlock, listOfResources } from "../calico/ipam-block.ts";
import { action, ignoringNotFound, printing, type Session } from "../invocation/cli.ts";
import { affinityTypeOption } from "../invocation/options.ts";
import { countText } from "../output/count.ts";
import { counting, progressing } from "../output/progress.ts";
import { type Column, tableText } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { endList } from "../resource/none.ts";
import { usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { type AddressInBlock, type BlockStatus, knownBlocks, wholeBlock } from "../space/blocks.ts";
import { readOwners } from "../space/handles.ts";
import { readOwnedBlocks, sayMissing } from "../space/space.ts";

export const blockCommand = (io: Io): Command =>
  new Command("block")
    .description("Show the blocks that hosts claim from pools")
    .addHelpText(
      "after",
      examples(
        ["Show the blocks of the space", "plat block get"],
        ["Show one block and its addresses", "plat block get 10.0.0.0/26"],
      ),
    )
    .addCommand(
      ignoringNotFound(printing(getVerb()))
        .description(
          "Show the blocks of the space, of a pool or of a host, or one block with its addresses",
        )
        .argument("[block]", "CIDR of one block")
        .option("--pool <pool>", "Only the blocks of this pool")
        .option("--host <host>", "Only the blocks of this host, and those that it borrows from")
        .addOption(affinityTypeOption())
        .option(
          "--calico",
          "Print Calico's IPAMBlock; with -o yaml or -o json as kubectl prints it",
        )
        .addHelpText(
          "after",
          examples(
            ["Show the blocks of a pool", "plat block get --pool default-ipv4"],
            [
              "Show the blocks of a host, and those that it borrows from",
              "plat block get --host node-1",
            ],
            ["Show one block and its addresses", "plat block get 10.0.0.0/26"],
            ["Print all blocks as Calico's resources", "plat block get --calico -o yaml"],
          ),
        )
        .action(action(io, get)),
    );

interface GetOptions {
  readonly pool?: string;
  readonly host?: string;
  readonly affinityType?: AffinityType;
  readonly calico?: true;
}

const COLUMNS: readonly Column<BlockStatus>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "TYPE", value: ({ affinityType }) => affinityType, wide: true },
  { header: "TOTAL", value: ({ capacity }) => countText(capacity), wide: true },
  { header: "IN USE", value: ({ inUse }) => countText(inUse) },
  { header: "HOST-RESERVED", value: ({ hostReserved }) => countText(hostReserved), wide: true },
  { header: "RESERVED", value: ({ reserved }) => countText(reserved), wide: true },
  { header: "COOLING", value: ({ cooling }) => countText(cooling), wide: true },
  { header: "FREE", value: ({ available }) => countText(available) },
  { header: "CLAIMED", value: ({ claimedAt }) => claimedAt, wide: true },
  { header: "IDLE SINCE", value: ({ idleSince }) => idleSince, wide: true },
];

/** The columns for the blocks of a host, which mark borrowed blocks. */
const OF_HOST: readonly Column<BlockStatus>[] = [
  ...COLUMNS,
  { header: "BORROWED", value: ({ borrowed }) => borrowed },
];

const ADDRESSES: readonly Column<AddressInBlock>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "STATE", value: ({ state }) => state },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "BORROWED", value: ({ borrowed }) => borrowed },
  { header: "ASSIGNED", value: ({ assignedAt }) => assignedAt, wide: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt, wide: true },
  { header: "AVAILABLE", value: ({ availableAt }) => availableAt, wide: true },
  { header: "GENERATION", value: ({ generation }) => generation, wide: true },
];

const CALICO: readonly Column<IpamBlock>[] = [
  { header: "NAME", value: ({ metadata }) => metadata.name },
  { header: "CIDR", value: ({ spec }) => spec.cidr },
  { header: "AFFINITY", value: ({ spec }) => spec.affinity },
];

async function get(session: Session, options: GetOptions, cidr?: string): Promise<void> {
  const { pool, host, affinityType, calico } = options;
  if (cidr === undefined)
    return calico ? getCalicoList(session, options) : getList(session, options);
  if (pool !== undefined || host !== undefined || affinityType !== undefined)
    throw usageError(`${cidr} is one block: --pool, --host and --affinity-type filter lists.`);
  return calico ? getCalico(session, cidr) : getOne(session, cidr);
}

async function getOne({ client, print }: Session, cidr: string): Promise<void> {
  const block = await wholeBlock(client, cidr);
  print({
    text: (layout) => {
      const tables = [tableText(COLUMNS, [block], layout)];
      if (block.addresses.length > 0) tables.push(tableText(ADDRESSES, block.addresses, layout));
      return tables.join("\n");
    },
    document: block,
    names: [block.cidr],
  });
}

async function getList(session: Session, { calico: _, ...query }: GetOptions) {
  const { client, print, io } = session;
  const list = await progressing(io, "blocks", () => knownBlocks(client, query));
  const { items: blocks } = list;
  const columns = query.host === undefined ? COLUMNS : OF_HOST;
  print({ columns, rows: blocks, document: { blocks } });
  await endList(session, list, "blocks");
}

async function getCalico({ client, print, io }: Session, cidr: string): Promise<void> {
  const block = await progressing(io, cidr, async (shown) => {
    const read = await wholeBlock(client, cidr);
    if (read.unit === "prefixes")
      throw usageError(`${cidr} is a prefix of a node, and Calico has no resource for it.`);
    return ipamBlock(read, await readOwners(client, read.addresses, counting(shown, "handles")));
  });
  print({ columns: CALICO, rows: [block], document: block });
}

async function getCalicoList(session: Session, { calico: _, ...query }: GetOptions) {
  const { client, print, io } = session;
  const list = await progressing(io, "blocks", () => knownBlocks(client, query));
  const owned = await progressing(io, "blocks", async (shown) =>
    readOwnedBlocks(
      client,
      list.items.filter(({ unit }) => unit === undefined),
      shown,
    ),
  );
  const blocks = owned.blocks.map((block) => ipamBlock(block, owned.owners));
  print({ columns: CALICO, rows: blocks, document: listOfResources(blocks) });
  sayMissing(io, owned);
  await endList(session, { items: blocks, unreadable: list.unreadable }, "blocks");
}
