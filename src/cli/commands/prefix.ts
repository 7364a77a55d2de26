import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { ADDRESSES_PER_PAGE_MAX } from "../../base/limits.ts";
import { type Answer, isRejection, type PlatClient } from "../../client/index.ts";
import { isBlockOf } from "../../kernel/values/block-group.ts";
import { parseCidr } from "../../net/cidr.ts";
import {
  action,
  type DryRunOption,
  printing,
  type Session,
  withDryRun,
} from "../invocation/cli.ts";
import { type ConfirmOptions, confirmation, withConfirmation } from "../invocation/confirm.ts";
import { count, idempotencyKey, keyValue, texts } from "../invocation/options.ts";
import { counted } from "../output/count.ts";
import { tellingResult } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { getVerb } from "../resource/get.ts";
import { CommandError, EXIT, rejectionError, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { holderOf } from "../space/blocks.ts";
import { type PoolRead, readPools } from "../space/configuration.ts";
import { knownIn } from "../space/lists.ts";
import { sayingOutcome } from "../space/releases.ts";
import { orAdvice, printExplanation } from "./assign.ts";

/** Makes the commands for prefixes that a handle has. `plat node cidr` is for those of nodes. */
export const prefixCommand = (io: Io): Command =>
  new Command("prefix")
    .description("Show, assign and release prefixes of handles")
    .addHelpText(
      "after",
      examples(
        ["Assign a free /24 of a pool", "plat prefix assign cluster-7 --pool clusters --family 4"],
        ["Show the prefixes of a handle", "plat prefix get cluster-7"],
        ["Release the prefixes of a handle", "plat prefix release cluster-7"],
      ),
    )
    .addCommand(
      printing(getVerb())
        .description("Show the prefixes of a handle, or who has one")
        .argument("[handle]", "The handle")
        .option("--cidr <cidr>", "Only this prefix")
        .addHelpText(
          "after",
          examples(
            ["Show the prefixes of a handle", "plat prefix get cluster-7"],
            ["Show who has a prefix", "plat prefix get --cidr 10.64.3.0/24"],
          ),
        )
        .action(action(io, get)),
    )
    .addCommand(
      withDryRun(printing(new Command("assign")), "Explain the assignment, and write nothing")
        .description("Assign a free prefix, or a specific one, to a handle")
        .argument("<handle>", "The handle")
        .option("--family <family>", "Family of the prefix: 4 or 6", count)
        .option("--prefix-length <n>", "Only from pools with prefixes of this length", count)
        .option("--cidr <cidr>", "This prefix, in place of --family and --prefix-length")
        .option("--pool <pool or CIDR>", "Only from this pool; repeatable", texts)
        .option("--attribute <key=value>", "Attribute of the owner; repeatable", keyValue)
        .option("--description <text>", "Description of the prefix, for people")
        .option("--tags <tags>", "Tags of the prefix; with commas or repeatable", texts)
        .option("--limit-per-handle <n>", "Prefixes of a family that the handle has: 1", count)
        .option(
          "--idempotency-key <key>",
          "Key of the request: a retry with it gets the same answer",
          idempotencyKey,
        )
        .addHelpText(
          "after",
          examples(
            [
              "Assign a free prefix of a pool",
              "plat prefix assign cluster-7 --pool clusters --family 4",
            ],
            ["Assign a specific prefix", "plat prefix assign cluster-7 --cidr 10.64.3.0/24"],
          ),
        )
        .action(action(io, assign)),
    )
    .addCommand(
      withConfirmation(
        printing(new Command("release"))
          .description("Release the prefixes of a handle, or one of them")
          .argument("<handle>", "The handle")
          .option("--cidr <cidr>", "Only this prefix"),
        "Show the prefixes, and release none",
      )
        .addHelpText(
          "after",
          examples(["Release the prefixes of a handle", "plat prefix release cluster-7"]),
        )
        .action(action(io, release)),
    );

type HeldPrefix = Answer<"listPrefixes">["prefixes"][number];
type Shown = Pick<HeldPrefix, "cidr" | "pool"> & Partial<HeldPrefix>;

const COLUMNS: readonly Column<Shown>[] = [
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "ASSIGNED", value: ({ assignedAt }) => assignedAt, wide: true },
];

async function get(
  { client, print }: Session,
  { cidr }: { readonly cidr?: string },
  handle?: string,
): Promise<void> {
  if (handle === undefined && cidr === undefined)
    throw usageError("Name a handle, or a prefix with --cidr.");
  const prefixes = await prefixesOf(client, { handle, cidr });
  print({ columns: COLUMNS, rows: prefixes, document: { prefixes } });
}

interface AssignOptions extends DryRunOption {
  readonly pool?: readonly string[];
  readonly attribute?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  /** The fields of the request under their own names. */
  readonly [field: string]: unknown;
}

async function assign(
  { client, print, io }: Session,
  options: AssignOptions,
  handle: string,
): Promise<void> {
  const { pool: pools, attribute: attributes, idempotencyKey, ...fields } = options;
  const key = idempotencyKey ?? randomUUID();
  const body = { handle, pools, attributes, ...fields };
  const { body: answer } = await orAdvice(io, key, !options.dryRun, (signal) =>
    client.assignPrefix({ idempotencyKey: key, body, signal }),
  );
  if ("dryRun" in answer) return printExplanation(print, answer);
  const rows = answer.prefixes.map((prefix) => ({ ...prefix, handle }));
  print({ columns: COLUMNS, rows, document: answer });
}

async function release(
  session: Session,
  options: ConfirmOptions & { readonly cidr?: string },
  handle: string,
): Promise<void> {
  const { client, print, io } = session;
  const { cidr, dryRun } = options;
  const confirm = confirmation(session, options);
  const preview = () => toRelease(client, { handle, cidr });
  if (dryRun) {
    const { rows, left } = await preview();
    print({ columns: COLUMNS, rows, document: { prefixes: rows } });
    if (left) throw left;
    return;
  }
  await confirm(async () => {
    const prefixes = counted((await preview()).rows.length, "prefix", "prefixes");
    return `Release ${prefixes} of ${handle}? Make sure that nothing uses addresses in them.`;
  });
  const released: string[] = [];
  await tellingResult(
    io,
    released,
    () =>
      print({
        text: () => `${counted(released.length, "prefix", "prefixes")} of ${handle} released\n`,
        document: { handle, released },
        names: released,
      }),
    async (untilInterrupted) => {
      const answers = releaseAll(client, { handle, cidr });
      for await (const some of untilInterrupted(answers)) released.push(...some);
    },
  );
}

/**
 * Returns the prefixes that a release would release, and the error that it would end with. A free prefix is no error, as that of another
 * owner is one.
 */
async function toRelease(
  client: PlatClient,
  named: { readonly handle: string; readonly cidr?: string | undefined },
): Promise<{ readonly rows: readonly HeldPrefix[]; readonly left?: CommandError | undefined }> {
  try {
    const held = await prefixesOf(client, named);
    const pools = await readPools(client);
    const childOf = ({ cidr, pool }: HeldPrefix) =>
      pools.find((each) => each.parent === pool && each.cidr === cidr);
    const child = held.map(childOf).find((each) => each !== undefined);
    const rows = held.filter((each) => childOf(each) === undefined);
    return { rows, left: child && inUse(child) };
  } catch (error) {
    if (!isRejection(error, "not_found")) throw error;
    const { cidr } = named;
    if (cidr === undefined || (await isFree(client, cidr))) return { rows: [] };
    throw error;
  }
}

const inUse = ({ name, cidr }: PoolRead): CommandError =>
  rejectionError(
    "prefix_in_use",
    `Pool ${name} is made of prefix ${cidr}.`,
    `Delete the pool first: \`plat pool delete ${name}\`.`,
  );

/** Returns true for a prefix of a pool that nobody has. */
async function isFree(client: PlatClient, text: string): Promise<boolean> {
  const cidr = parseCidr(text);
  const isPrefix = (await readPools(client)).some((pool) => {
    const whole = parseCidr(pool.cidr);
    if (pool.assign !== "prefixes" || !whole.ok || !cidr.ok) return false;
    return isBlockOf({ cidr: whole.value, blockSize: pool.blockSize }, cidr.value);
  });
  return isPrefix && (await holderOf(client, text)) === undefined;
}

/** Reads the prefixes of a handle, or one of them, or the one that a CIDR is. Errors: there are none. */
async function prefixesOf(
  client: PlatClient,
  named: { readonly handle?: string | undefined; readonly cidr?: string | undefined },
): Promise<readonly HeldPrefix[]> {
  const pages = client.pages.listPrefixes({ ...named, limit: ADDRESSES_PER_PAGE_MAX });
  return (await knownIn(pages, ({ prefixes }) => prefixes)).items;
}

/**
 * Releases the prefixes of a handle, or one of them, request by request, and yields those of each request. Errors: a request made no
 * progress, and some are left.
 */
async function* releaseAll(
  client: PlatClient,
  named: { readonly handle: string; readonly cidr?: string | undefined },
): AsyncGenerator<readonly string[]> {
  const { handle } = named;
  for (;;) {
    const sent = client.releasePrefixes({ body: named });
    const { body } = await sayingOutcome(client, sent, ["prefix", "get", handle]);
    if (body.released.length > 0) yield body.released;
    if (body.complete) return;
    if (body.released.length === 0) throw stuck(handle, body.unreadable ?? []);
  }
}

const stuck = (handle: string, unreadable: readonly { readonly reason: string }[]): CommandError =>
  new CommandError(
    EXIT.unreachable,
    [
      `Some prefixes of ${handle} are not released. Repeat the command to continue.`,
      ...unreadable.map(({ reason }) => `${reason}.`),
    ].join("\n"),
  );
