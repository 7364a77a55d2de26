import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { type Answer, isRejection, mayBeDone, PlatError } from "../../client/index.ts";
import {
  action,
  type DryRunOption,
  printing,
  type Session,
  withDryRun,
} from "../invocation/cli.ts";
import {
  affinityTypeOption,
  count,
  type HostReservedOptions,
  hostReservedOf,
  type InterfaceOption,
  idempotencyKey,
  interfaces,
  keyValue,
  texts,
  withHostReserved,
} from "../invocation/options.ts";
import { type WorkloadOptions, withWorkload, workloadFields } from "../invocation/workload.ts";
import { type Column, type Layout, tableText } from "../output/table.ts";
import { rejectionError } from "../shell/exit.ts";
import { addedTo } from "../shell/failed-call.ts";
import { examples } from "../shell/help.ts";
import { abortable } from "../shell/interrupt.ts";
import type { Io } from "../shell/io.ts";

export const assignCommand = (io: Io): Command =>
  withHostReserved(
    withWorkload(
      withDryRun(printing(new Command("assign")), "Explain the assignment, and write nothing"),
    )
      .description("Assign addresses to a handle on a host")
      .requiredOption("--host <host>", "The host that the addresses are for")
      .addOption(affinityTypeOption())
      .option("--ipv4 <n>", "Number of IPv4 addresses", count)
      .option("--ipv6 <n>", "Number of IPv6 addresses", count)
      .option(
        "--address <ip>",
        "A specific address, in place of --ipv4 and --ipv6; twice for one of each family",
        texts,
      )
      .option(
        "--handle <handle>",
        "Name to find and release the addresses by; Plat generates one if left out",
      )
      .option("--attribute <key=value>", "Attribute of the owner; repeatable", keyValue)
      .option("--use <use>", "Workload, Tunnel or LoadBalancer: only pools that allow this use")
      .option(
        "--pool <pool or CIDR>",
        "Only from this pool, or from those of a pattern such as web-*; repeatable",
        texts,
      )
      .option(
        "--namespace <namespace>",
        "Namespace of the workload, for its default pools and the conditions of pools",
      )
      .option(
        "--label <key=value>",
        "Label of the workload, for pools with a pod selector",
        keyValue,
      )
      .option("--network <network>", "Network of the workload, for pools with networks")
      .option(
        "--default-pool <pool or CIDR>",
        "Only from this pool if neither --pool nor the namespace names one; repeatable",
        texts,
      )
      .option(
        "--interface <name=eth0,ipv4=1,pool=web>",
        "An interface with its counts: name, ipv4, ipv6, pool and default-pool (repeatable), network. In place of these options; repeatable",
        interfaces,
      )
      .option("--allow-partial", "Accept fewer addresses than requested")
      .option("--max-blocks-per-host <n>", "Maximum number of blocks of the host", count)
      .option(
        "--limit-per-handle <n>",
        "Maximum number of addresses of a family for the handle",
        count,
      )
      .option("--lease-seconds <n>", "Release the addresses after this time unless renewed", count)
      .option(
        "--idempotency-key <key>",
        "Key of the request: a retry with it gets the same answer",
        idempotencyKey,
      )
      .addHelpText(
        "after",
        examples(
          ["Assign an IPv4 address", "plat assign --host node-1 --ipv4 1 --handle web-0"],
          [
            "Assign an address of each family, with attributes",
            "plat assign --host node-1 --ipv4 1 --ipv6 1 --attribute pod=web-0",
          ],
          [
            "Assign an address to each of two interfaces",
            "plat assign --host n1 --interface name=lan,ipv4=1 --interface name=san,ipv4=1",
          ],
          [
            "Assign a specific address",
            "plat assign --host node-1 --address 10.0.0.20 --handle gateway",
          ],
          [
            "Assign a specific address of each family, both or none",
            "plat assign --host n1 --address 10.0.0.20 --address fd00::20 --handle gateway",
          ],
          [
            "Assign to a workload, whose name and uid replace handle and key",
            "plat assign --host n1 --ipv4 1 --namespace shop --workload Job/load --uid 7f9c",
          ],
          [
            "Explain which pool and which block would serve",
            "plat assign --host node-1 --ipv4 1 --handle web-0 --dry-run",
          ],
        ),
      ),
  ).action(action(io, assign));

interface AssignOptions extends DryRunOption, HostReservedOptions, WorkloadOptions {
  readonly host: string;
  readonly address?: readonly string[];
  readonly pool?: readonly string[];
  readonly defaultPool?: readonly string[];
  readonly attribute?: Readonly<Record<string, string>>;
  readonly label?: Readonly<Record<string, string>>;
  readonly interface?: readonly InterfaceOption[];
  readonly idempotencyKey?: string;
  /** The fields of the request under their own names. */
  readonly [field: string]: unknown;
}

type Assigned = Answer<"assign">;
type Explanation = Extract<Assigned, { readonly dryRun: unknown }>;
type Assignment = Exclude<Assigned, Explanation>;

async function assign({ client, print, io }: Session, options: AssignOptions): Promise<void> {
  const named = workloadFields(options);
  // The uid of an instance makes its request safe to repeat, in place of a key. A message may have to name the key.
  const { idempotencyKey = named ? undefined : randomUUID() } = options;
  const request = { idempotencyKey, body: { ...bodyOf(options), ...named } };
  const { body } = await orAdvice(io, idempotencyKey, !options.dryRun, (signal) =>
    client.assign({ ...request, signal }),
  );
  if ("dryRun" in body) return printExplanation(print, body);
  print({ columns: columnsOf(body), rows: body.addresses, document: body });
  for (const message of body.messages) io.err(`Note: ${message}\n`);
}

function bodyOf(options: AssignOptions) {
  const {
    host,
    address: addresses = [],
    pool: pools,
    defaultPool: defaultPools,
    attribute: attributes,
    label: labels,
    interface: interfaces,
    idempotencyKey: _,
    hostReservedStart: _start,
    hostReservedEnd: _end,
    hostReservedHandle: _handle,
    hostReservedNote: _note,
    workload: _workload,
    uid: _uid,
    ...fields
  } = options;
  return {
    ...fields,
    ...(addresses.length > 1 ? { addresses } : { address: addresses[0] }),
    host,
    pools,
    defaultPools,
    attributes,
    labels,
    interfaces,
    hostReserved: hostReservedOf(options),
  };
}

/**
 * Returns the answer of an assign. Where its error, or Ctrl-C, leaves something to do, the message also says what: to repeat it with
 * its key, or to ask why no pool can serve it.
 *
 * @param key absent if the request itself is safe to repeat
 * @param writes false for a dry run
 */
export async function orAdvice<T>(
  io: Pick<Io, "onInterrupt">,
  key: string | undefined,
  writes: boolean,
  asking: (signal?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!writes) return asking();
  // The request may have succeeded, and a repeat needs the key.
  const repeat = `The request may have succeeded. Repeat the command with --idempotency-key ${key}: it assigns nothing twice.`;
  try {
    if (key === undefined) return await asking();
    return await abortable(io, `Interrupted.\n${repeat}`, asking);
  } catch (error) {
    if (!(error instanceof PlatError)) throw error;
    if (isRejection(error, "no_pool_available"))
      throw addedTo(error, "The same command with --dry-run explains each pool.");
    throw mayBeDone(error) && key !== undefined ? addedTo(error, repeat) : error;
  }
}

const columnsOf = ({
  handle,
  addresses,
}: Assignment): readonly Column<Assignment["addresses"][number]>[] => [
  { header: "ADDRESS", value: ({ address }) => address },
  ...(addresses.some(({ interface: of }) => of !== undefined)
    ? [{ header: "INTERFACE", value: interfaceOf }]
    : []),
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "HANDLE", value: () => handle, long: "cut" },
  { header: "BORROWED", value: ({ borrowed }) => borrowed },
  { header: "BLOCK", value: ({ block }) => block, wide: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt, wide: true },
  { header: "GENERATION", value: ({ generation }) => generation, wide: true },
];

const interfaceOf = ({ interface: of }: Assignment["addresses"][number]): string => of ?? "";

type FamilyExplanation = Explanation["families"][number];

const POOLS: readonly Column<FamilyExplanation["pools"][number]>[] = [
  { header: "POOL", value: ({ pool }) => pool },
  { header: "CIDR", value: ({ cidr }) => cidr },
  { header: "SERVES", value: ({ kept }) => (kept ? "yes" : "no") },
  { header: "ORDER", value: ({ order }) => order ?? "" },
  { header: "SCORE", value: ({ score }) => score ?? "" },
  {
    header: "WHY NOT",
    value: ({ code, reason }) => (code === undefined ? "" : `${code}: ${reason}`),
    long: "wrap",
  },
];

const BLOCKS: readonly Column<FamilyExplanation["blocks"][number]>[] = [
  { header: "BLOCK", value: ({ block }) => block },
  { header: "POOL", value: ({ pool }) => pool },
  { header: "ADDRESSES", value: ({ count }) => count },
  { header: "HOW", value: ({ action }) => HOW[action], long: "wrap" },
];

const HOW = {
  own: "the host owns it",
  claim: "it is free, and the host would claim it",
  seize: "it is empty, and the host would seize it",
  borrow: "another host owns it, and would lend from it",
  create: "it is new, and would be created",
  share: "hosts share it",
  alreadyAssigned: "the handle already has them",
} as const satisfies Record<FamilyExplanation["blocks"][number]["action"], string>;

/** Prints the effect of a request, and exits with the code that the request would have. A rejection has its reason. */
export function printExplanation(print: Session["print"], explanation: Explanation): void {
  const { rejection, messages, families } = explanation;
  print({
    text: (layout) =>
      [
        ...families.map((family) => familyText(layout, family, families.length > 1)),
        ...messages.map((message) => `${message}\n`),
      ].join("\n"),
    document: explanation,
    names: families.flatMap(({ blocks }) => blocks.map(({ block }) => block)),
  });
  if (rejection) throw rejectionError(rejection.code, rejection.detail);
}

function familyText(
  layout: Layout,
  { interface: of, family, requested, rule, pools, blocks, rejection }: FamilyExplanation,
  isOneOfTwo: boolean,
): string {
  const place = of === undefined ? "" : `Interface ${of}, `;
  const parts = [`${place}IPv${family}: ${requested} wanted (rule: ${rule})\n`];
  if (pools.length > 0) parts.push(tableText(POOLS, pools, layout));
  if (blocks.length > 0) parts.push(tableText(BLOCKS, blocks, layout));
  if (rejection && isOneOfTwo) parts.push(`Rejected, ${rejection.code}: ${rejection.detail}\n`);
  return parts.join("\n");
}
