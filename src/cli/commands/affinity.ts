import { Command } from "commander";
import type { Answer, Parameters, PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import {
  affinityTypeOption,
  count,
  type HostReservedOptions,
  hostReservedOf,
  texts,
  withHostReserved,
} from "../invocation/options.ts";
import { progressing } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { endList } from "../resource/none.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { type Affinity, affinitiesOfAll, affinitiesOfHost } from "../space/affinities.ts";
import { affinityReleaseCommand, rejectLeft } from "./affinity-release.ts";

export const affinityCommand = (io: Io): Command =>
  new Command("affinity")
    .description("Show and change which host owns a block")
    .addHelpText(
      "after",
      examples(
        ["Show the blocks of every host", "plat affinity get"],
        ["Give a block to a host", "plat affinity claim 10.0.0.0/26 --host node-1"],
        ["Take a block from its host", "plat affinity release 10.0.0.0/26 --host node-1"],
      ),
    )
    .addCommand(
      printing(getVerb())
        .description(
          "Show the blocks of every host; with --host those of one host, and the blocks that it borrows from",
        )
        .option("--host <host>", "Only the blocks of this host")
        .addOption(affinityTypeOption())
        .option("--pool <pool>", "Only the blocks of this pool")
        .addHelpText(
          "after",
          examples(
            ["Show the blocks of every host", "plat affinity get"],
            [
              "Show the blocks of a host, and those that it borrows from",
              "plat affinity get --host node-1",
            ],
            ["Show the blocks of a pool", "plat affinity get --pool default-ipv4"],
          ),
        )
        .action(action(io, get)),
    )
    .addCommand(
      printing(new Command("claim"))
        .description("Claim every block of a range that has no owner")
        .argument("<block or CIDR>", "A block, or a range of blocks")
        .requiredOption("--host <host>", "The new owner of the blocks")
        .addOption(affinityTypeOption())
        .addHelpText(
          "after",
          examples(
            ["Claim one block", "plat affinity claim 10.0.0.0/26 --host node-1"],
            ["Claim every free block of a range", "plat affinity claim 10.0.0.0/24 --host node-1"],
          ),
        )
        .action(action(io, claim)),
    )
    .addCommand(
      withHostReserved(
        printing(new Command("ensure"))
          .description("Ensure that a host has a block of a family; this assigns no address")
          .requiredOption("--host <host>", "The owner of the block")
          .addOption(affinityTypeOption())
          .requiredOption("--family <4|6>", "IPv4 or IPv6; repeatable", families)
          .option("--pool <pool or CIDR>", "Only blocks of this pool; repeatable", texts)
          .addHelpText(
            "after",
            examples(
              [
                "Ensure that a host has an IPv4 block",
                "plat affinity ensure --host node-1 --family 4",
              ],
              [
                "Ensure an IPv4 and an IPv6 block",
                "plat affinity ensure --host node-1 --family 4 --family 6",
              ],
            ),
          ),
      ).action(action(io, ensure)),
    )
    .addCommand(affinityReleaseCommand(io));

/** Parses an address family; the option can be repeated. */
const families = (text: string, before: readonly (4 | 6)[] = []): readonly (4 | 6)[] => [
  ...before,
  // The API rejects another number.
  count(text) as 4 | 6,
];

interface HostOptions {
  readonly host: string;
  readonly affinityType?: AffinityType;
}

const COLUMNS: readonly Column<Affinity>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "TYPE", value: ({ affinityType }) => affinityType },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "IN USE", value: ({ used }) => used },
  { header: "CLAIMED", value: ({ claimedAt }) => claimedAt, wide: true },
  { header: "STATE", value: ({ state }) => state, isState: true },
];

/** The columns for one host, without its name, because the user has typed it. */
const OF_HOST: readonly Column<Affinity>[] = [
  ...COLUMNS.map((column) =>
    column.header === "HOST" ? { ...column, wide: true as const } : column,
  ),
  { header: "BORROWED", value: ({ borrowed }) => borrowed },
];

async function get(
  session: Session,
  options: Partial<HostOptions> & { readonly pool?: string },
): Promise<void> {
  const { client, print, io } = session;
  const { host, affinityType, pool } = options;
  const { items, unreadable } = await progressing(io, "affinities", () =>
    host === undefined
      ? affinitiesOfAll(client, pool)
      : affinitiesOfHost(client, { host, affinityType }),
  );
  const shown = items.filter(
    (row) =>
      (pool === undefined || row.pool === pool) &&
      (affinityType === undefined || row.affinityType === affinityType),
  );
  const columns = host === undefined ? COLUMNS : OF_HOST;
  print({ columns, rows: shown, document: { affinities: shown } });
  await endList(session, { items: shown, unreadable }, "affinities");
}

type Claimed = Extract<Answer<"claimAffinities">, { readonly complete: boolean }>;
type Ensured = Exclude<Answer<"claimAffinities">, Claimed>;

const CLAIMED: readonly Column<Claimed["blocks"][number]>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "STATUS", value: ({ status }) => status, isState: true },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
];

async function claim(
  { client, print, io }: Session,
  { host, affinityType }: HostOptions,
  cidr: string,
): Promise<void> {
  const claimed = await progressing(io, cidr, () =>
    claimRange(client, host, { affinityType, cidr }),
  );
  const rows = claimed.blocks.map((block) =>
    block.status === "claimed" ? { ...block, host: claimed.host } : block,
  );
  print({ columns: CLAIMED, rows, document: claimed });
  const left = claimed.blocks.filter(({ status }) => status !== "claimed");
  rejectLeft(left, "claimed");
}

/** Claims as much as one request does, and continues where it ended. */
async function claimRange(
  client: PlatClient,
  node: string,
  body: Parameters<"claimAffinities">["body"],
): Promise<Claimed> {
  const pages: Claimed[] = [];
  // The body names a range, and so does each answer.
  for await (const page of client.pages.claimAffinities({ node, body }))
    pages.push(page as Claimed);
  return { ...(pages.at(-1) as Claimed), blocks: pages.flatMap(({ blocks }) => blocks) };
}

const ENSURED: readonly Column<Ensured["blocks"][number]>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "FAMILY", value: ({ family }) => `IPv${family}` },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
];

async function ensure(
  { client, print }: Session,
  options: HostOptions &
    HostReservedOptions & {
      readonly family: readonly (4 | 6)[];
      readonly pool?: readonly string[];
    },
): Promise<void> {
  const { host, affinityType, family, pool } = options;
  const { body } = await client.claimAffinities({
    node: host,
    body: { affinityType, families: family, pools: pool, hostReserved: hostReservedOf(options) },
  });
  const ensured = body as Ensured;
  print({ columns: ENSURED, rows: ensured.blocks, document: ensured });
}
