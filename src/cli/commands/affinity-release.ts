import { Command } from "commander";
import { BLOCK_SIZES } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { type Cidr, contains, formatCidr, parseCidr } from "../../net/cidr.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { affinityTypeOption, cidrIn } from "../invocation/options.ts";
import { counted } from "../output/count.ts";
import { progressing, tellingResult } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { rejectionError, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { type Affinity, affinitiesOfHost } from "../space/affinities.ts";
import { wholeBlocks } from "../space/blocks.ts";
import { readPools } from "../space/configuration.ts";
import { type KnownList, rejectUnread } from "../space/lists.ts";

export const affinityReleaseCommand = (io: Io): Command =>
  withConfirmation(
    printing(new Command("release"))
      .description("Take blocks from a host; the addresses in them stay assigned")
      .argument("[block or CIDR]", "A block, or a range with blocks of the host in it", cidrIn)
      .requiredOption("--host <host>", "The owner of the blocks")
      .addOption(affinityTypeOption())
      .option("--all", "Every block of the host, in place of a CIDR")
      .option("--must-be-empty", "Only blocks without assigned and cooling addresses"),
    "Show the blocks, and release none",
  )
    .addHelpText(
      "after",
      examples(
        ["Take one block from a host", "plat affinity release 10.0.0.0/26 --host node-1"],
        [
          "Take every empty block from a host",
          "plat affinity release --all --host node-1 --must-be-empty",
        ],
      ),
    )
    .action(action(io, release));

type ReleasedAffinity = Answer<"releaseAffinities">["affinities"][number];

const RELEASED: readonly Column<ReleasedAffinity>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "STATUS", value: ({ status }) => status, isState: true },
  { header: "IN USE", value: ({ inUse }) => inUse },
  { header: "COOLING", value: ({ cooling }) => cooling },
];

interface Options extends ConfirmOptions {
  readonly host: string;
  readonly affinityType?: AffinityType;
  readonly all?: true;
  readonly mustBeEmpty?: true;
}

async function release(session: Session, options: Options, range?: Cidr): Promise<void> {
  const { client, print, io } = session;
  const { host, affinityType, all, mustBeEmpty, dryRun } = options;
  if ((range === undefined) === (all === undefined))
    throw usageError("plat affinity release needs the CIDR of a block, or --all.");
  const confirm = confirmation(session, options);
  const preview = () => toRelease(client, options, range);
  if (dryRun) {
    const { items: rows, unreadable } = await preview();
    print({ columns: TO_RELEASE, rows, document: { affinities: rows } });
    rejectUnread(unreadable);
    return rejectLeft(
      rows.filter(({ status }) => status !== "would_release"),
      "released",
    );
  }
  await confirm(async () => {
    const { items } = await preview();
    const blocks = items.filter(({ status }) => status === "would_release");
    const used = blocks.reduce((sum, one) => sum + (one.used ?? 0), 0);
    const inThem = blocks.length === 1 ? "it" : "them";
    const kept =
      used === 0
        ? `No address in ${inThem} is assigned.`
        : `${counted(used, "address", "addresses")} in ${inThem} ${used === 1 ? "stays" : "stay"} assigned.`;
    return `Release ${counted(blocks.length, "block")} of host ${host}? ${kept}`;
  });
  const rows: ReleasedAffinity[] = [];
  const query = { affinityType, cidr: range && formatCidr(range), mustBeEmpty };
  await tellingResult(
    io,
    rows,
    () => print({ columns: RELEASED, rows, document: { affinities: rows } }),
    (untilInterrupted) =>
      progressing(io, `blocks of ${host}`, async (shown) => {
        const pages = client.pages.releaseAffinities({ node: host, ...query });
        for await (const page of untilInterrupted(pages)) {
          rows.push(...page.affinities);
          shown.update(`${counted(rows.length, "block")} of ${host}`);
        }
      }),
  );
  const left = rows.filter(({ status }) => status !== "deleted" && status !== "disowned");
  rejectLeft(left, "released");
}

/** A block of the host, and what a release would do with it. */
type Previewed = Affinity & { readonly status: "would_release" | "not_empty" };

const TO_RELEASE: readonly Column<Previewed>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "IN USE", value: ({ used }) => used },
  { header: "STATUS", value: ({ status }) => status, isState: true },
];

const isWithin = ({ family, base, prefix }: Cidr, range: Cidr): boolean =>
  prefix >= range.prefix && contains(range, { family, value: base });

/** Returns the affinities that a release would judge, each with its result. Errors: the range is one block, and not the host's. */
async function toRelease(
  client: PlatClient,
  { mustBeEmpty, ...host }: Options,
  range: Cidr | undefined,
): Promise<KnownList<Previewed>> {
  const isNamed = (cidr: string): boolean => {
    const block = parseCidr(cidr);
    return !range || (block.ok && isWithin(block.value, range));
  };
  const { items: rows, unreadable } = await affinitiesOfHost(client, host);
  const named = rows.filter(({ borrowed, cidr }) => !borrowed && isNamed(cidr));
  if (range && named.length === 0 && (await isOneBlock(client, range)))
    rejectLeft([{ cidr: formatCidr(range), status: "not_owned" }], "released");
  const used = mustBeEmpty ? await notEmpty(client, named) : new Set();
  const items = named.map((one) => ({
    ...one,
    status: used.has(one.cidr) ? ("not_empty" as const) : ("would_release" as const),
  }));
  return { items, unreadable };
}

/** Returns the blocks that a release of empty ones leaves: a cooling address counts as an assigned one does. */
async function notEmpty(
  client: PlatClient,
  rows: readonly Affinity[],
): Promise<ReadonlySet<string>> {
  const blocks = await wholeBlocks(
    client,
    rows.map(({ cidr }) => cidr),
  );
  return new Set(blocks.filter(({ addresses }) => addresses.length > 0).map(({ cidr }) => cidr));
}

/** Returns true if a range has room for one block at most. Without a pool any possible size counts as one block. */
async function isOneBlock(client: PlatClient, range: Cidr): Promise<boolean> {
  const pool = (await readPools(client)).find(({ cidr }) => {
    const read = parseCidr(cidr);
    return read.ok && isWithin(range, read.value);
  });
  return range.prefix >= (pool?.blockSize ?? BLOCK_SIZES[range.family].min);
}

/** A block that did not get the requested state. */
interface Left {
  readonly cidr: string;
  readonly status: string;
}

const WHY: Readonly<Record<string, string>> = {
  not_owned: "it belongs to another host, or to none",
  block_limit: "the host has as many blocks as it may have",
  quota_exceeded: "a quota allows no more blocks; see `plat quota get`",
  not_empty: "it has assigned or cooling addresses",
  contended: "other requests changed it each time; repeat the command",
  unreadable: "it cannot be read; see `plat check`",
};

/**
 * Checks that every block got the requested state.
 *
 * @param done the requested state, such as `claimed`
 * @throws CommandError (rejected) if some did not; the message explains the first of them
 */
export function rejectLeft(left: readonly Left[], done: string): void {
  const [first] = left;
  if (!first) return;
  const { cidr, status } = first;
  const others = left.length > 1 ? ` (and ${left.length - 1} more)` : "";
  throw rejectionError(status, `Block ${cidr} is not ${done}${others}: ${WHY[status] ?? status}.`);
}
