import * as v from "valibot";
import { namespaceName, newNode, resourceName } from "../../api/schema/field.ts";
import { labels as labelsSchema } from "../../api/schema/labels.ts";
import { BLOCK_SIZES, BLOCKS_PER_HOST_DEFAULT, BLOCKS_PER_HOST_MAX } from "../../base/limits.ts";
import { compareAddresses, formatAddress } from "../../net/address.ts";
import {
  addressAt,
  type Cidr,
  formatCidr,
  intervalOf,
  overlaps,
  parseCidr,
} from "../../net/cidr.ts";
import { calicoCidrs } from "../../nouns/reservation/contract/calico-ipreservation.ts";
import {
  addressConflicts,
  type Conflict,
  type Desired,
  type DesiredLabels,
  type DesiredPool,
  type DesiredReservation,
  type DesiredSettings,
  ownerConflicts,
} from "../import/desired.ts";
import { closingNotes, isServing } from "../import/dump.ts";
import { counted } from "../output/count.ts";
import type { Dump } from "./dump.ts";
import { handleOfNone, WINDOWS_HANDLE } from "./names.ts";
import {
  type DumpedConfig,
  type DumpedPool,
  type DumpedReservation,
  hostOfAffinity,
  isDeleted,
  type Labelled,
} from "./resources.ts";
import { type TakenBlock, takenOf } from "./taken.ts";

/** Returns the desired state of a dump, and its contradictions. */
export function desiredFrom(dump: Dump): Desired {
  const current = once("IPAMBlock", dump.blocks, ({ spec }) => formatCidr(spec.cidr));
  const taken = current.items
    .filter(({ spec }) => !isDeleted(spec))
    .map(takenOf)
    .sort(
      ({ block: { cidr: a } }, { block: { cidr: b } }) =>
        compareAddresses(addressAt(a, 0), addressAt(b, 0)) || a.prefix - b.prefix,
    );
  // A block without an owner and without addresses has nothing to import.
  const used = taken.filter(({ block, addresses }) => block.owner || addresses.length > 0);
  const addresses = used.flatMap((one) => one.addresses);
  const pools = once("IPPool", dump.pools, ({ metadata }) => metadata.name);
  const reservations = once("IPReservation", dump.reservations, ({ metadata }) => metadata.name);
  const configs = once("IPAMConfig", dump.configs, () => "default");
  const [config] = configs.items;
  const settings = config && settingsOf(config);
  const reserved = reservations.items.map(reservationOf);
  const labelled = [
    ...dump.nodes.map((node) => labelsOf("nodes", node)),
    ...dump.namespaces.map((namespace) => labelsOf("namespaces", namespace)),
  ];
  // A node is a resource of both Kubernetes and Calico. `kubectl get` lists the one of Kubernetes first, and that one
  // counts.
  const nodes = new Map(labelled.toReversed().map((one) => [`${one.kind} ${one.name}`, one]));
  return {
    pools: pools.items.map(poolOf),
    reservations: reserved.map(({ desired }) => desired).filter(({ cidrs }) => cidrs.length > 0),
    labelled: [...nodes.values()].toReversed(),
    ...(settings && { settings: settings.desired }),
    blocks: used.map(({ block }) => block),
    addresses,
    conflicts: [
      ...current.conflicts,
      ...pools.conflicts,
      ...pools.items.flatMap(({ metadata }) => nameConflicts("pool", metadata.name)),
      ...reservations.conflicts,
      ...reservations.items.flatMap(({ metadata }) => nameConflicts("reservation", metadata.name)),
      ...configs.conflicts,
      ...[...nodes.values()].flatMap(labelConflicts),
      ...taken.flatMap(({ conflicts }) => conflicts),
      ...overlapConflicts(used),
      ...used.flatMap(({ block }) => ownerConflicts(block)),
      ...addresses.flatMap(addressConflicts),
      ...handleConflicts(dump, taken),
      ...affinityConflicts(dump, used),
    ],
    notes: [
      ...pools.items.flatMap(closingNotes),
      ...notesOf(dump, taken, used),
      ...(settings?.notes ?? []),
      ...reserved.flatMap(({ notes }) => notes),
    ],
  };
}

/** Keeps one of equal resources with the same name; different ones are a conflict. */
function once<Item>(
  kind: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
): { readonly items: readonly Item[]; readonly conflicts: readonly Conflict[] } {
  const conflicts: Conflict[] = [];
  const byName = new Map<string, Item>();
  for (const item of items) {
    const name = nameOf(item);
    const before = byName.get(name);
    if (before === undefined) byName.set(name, item);
    else if (textOf(before) !== textOf(item))
      conflicts.push({
        kind: kindsOf[kind] ?? "block",
        name,
        problem: `occurs twice as ${kind}, with different contents`,
      });
  }
  return { items: [...byName.values()], conflicts };
}

const kindsOf: Readonly<Record<string, Conflict["kind"]>> = {
  IPPool: "pool",
  IPReservation: "reservation",
  IPAMConfig: "configuration",
};

const textOf = (item: unknown) =>
  JSON.stringify((item as { spec?: unknown }).spec, (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );

const ROUTING = ["ipipMode", "vxlanMode", "natOutgoing", "disableBGPExport"];

function poolOf(pool: DumpedPool): DesiredPool {
  const { metadata, spec } = pool;
  const { cidr, disabled } = spec;
  const blockSize = spec.blockSize ?? BLOCK_SIZES[cidr.family].default;
  const said = (name: string) => (spec[name] === null ? undefined : spec[name]);
  const routing = Object.fromEntries(
    ROUTING.map((name) => [name, said(name)]).filter(([, value]) => value !== undefined),
  );
  return {
    name: metadata.name,
    cidr,
    blockSize,
    fields: {
      cidr: formatCidr(cidr),
      blockSize,
      disabled: (disabled ?? false) || !isServing(pool),
      assignmentMode: said("assignmentMode") ?? "Automatic",
      allowedUses: said("allowedUses") ?? ["Workload", "Tunnel"],
      ...(said("nodeSelector") !== undefined && { nodeSelector: said("nodeSelector") }),
      ...(said("namespaceSelector") !== undefined && {
        namespaceSelector: said("namespaceSelector"),
      }),
      ...(Object.keys(routing).length > 0 && { routing }),
    },
  };
}

function reservationOf({ metadata, spec }: DumpedReservation): {
  readonly desired: DesiredReservation;
  readonly notes: readonly string[];
} {
  const { name } = metadata;
  const { cidrs, skipped } = calicoCidrs(spec.reservedCIDRs ?? []);
  const notes = skipped.map(
    (entry) => `reservation ${name}: "${entry}" is neither a CIDR nor an address: left out.`,
  );
  return { desired: { name, cidrs }, notes };
}

function settingsOf({ spec }: DumpedConfig): {
  readonly desired: DesiredSettings;
  readonly notes: readonly string[];
} {
  const { strictAffinity, autoAllocateBlocks, maxBlocksPerHost, ipCooldownSeconds } = spec;
  // Calico's client uses twenty if the cap is missing or 0; it cannot express "no cap".
  const cap = maxBlocksPerHost || BLOCKS_PER_HOST_DEFAULT;
  const notes =
    cap > BLOCKS_PER_HOST_MAX
      ? [
          `configuration: maxBlocksPerHost ${cap} becomes none, since a cap is ${BLOCKS_PER_HOST_MAX} at most.`,
        ]
      : [];
  return {
    desired: {
      strictAffinity: strictAffinity ?? false,
      autoAllocateBlocks: autoAllocateBlocks ?? true,
      maxBlocksPerHost: cap > BLOCKS_PER_HOST_MAX ? null : cap,
      ...(typeof ipCooldownSeconds === "number" && { cooldownSeconds: ipCooldownSeconds }),
    },
    notes,
  };
}

const labelsOf = (kind: DesiredLabels["kind"], { metadata }: Labelled): DesiredLabels => ({
  kind,
  name: metadata.name,
  labels: metadata.labels ?? {},
});

const LABELLED_NAMES = { nodes: newNode, namespaces: namespaceName };

function labelConflicts({ kind, name, labels }: DesiredLabels): readonly Conflict[] {
  const checks = [
    ["a name", LABELLED_NAMES[kind], name],
    ["labels", labelsSchema, labels],
  ] as const;
  return checks.flatMap(([what, schema, value]): Conflict[] => {
    const read = v.safeParse(schema as v.GenericSchema, value, { abortPipeEarly: true });
    if (read.success) return [];
    const problem = `has ${what} that Plat does not take: ${read.issues[0].message}`;
    return [{ kind: "labels", name: `${kind}/${name}`, problem }];
  });
}

/** Checks the name of a pool or of a reservation; the API checks the other fields. */
function nameConflicts(kind: "pool" | "reservation", name: string): readonly Conflict[] {
  const read = v.safeParse(resourceName, name, { abortPipeEarly: true });
  if (read.success) return [];
  const problem = `has a name that Plat does not take: it ${read.issues[0].message}`;
  return [{ kind, name, problem }];
}

/**
 * Finds overlapping blocks. It sorts them by address, and of equal addresses the larger first. Then each block is
 * behind the one that reaches furthest, or inside it.
 */
function overlapConflicts(taken: readonly TakenBlock[]): readonly Conflict[] {
  let furthest: Cidr | undefined;
  return taken.flatMap(({ block: { cidr } }) => {
    const before = furthest;
    if (!before || !overlaps(intervalOf(before), intervalOf(cidr))) {
      furthest = cidr;
      return [];
    }
    const problem = `overlaps block ${formatCidr(before)}`;
    return [{ kind: "block", name: formatCidr(cidr), problem }];
  });
}

/**
 * Finds handles that differ from the blocks. Handles are an index over the blocks, so if the dump has any, they must
 * agree.
 */
function handleConflicts({ handles }: Dump, taken: readonly TakenBlock[]): readonly Conflict[] {
  const current = handles.filter(({ spec }) => !isDeleted(spec));
  if (current.length === 0) return [];
  const byHandle = new Map<string, Map<string, number>>();
  const countsOf = (handle: string) => {
    const counts = byHandle.get(handle) ?? new Map<string, number>();
    byHandle.set(handle, counts);
    return counts;
  };
  for (const { block, counts } of taken)
    for (const [handle, count] of counts) countsOf(handle).set(formatCidr(block.cidr), count);
  // Host-reserved addresses are in no handle.
  byHandle.delete(WINDOWS_HANDLE);
  const said = new Map(current.map(({ spec }) => [spec.handleID, spec.block ?? {}]));
  const conflicts: Conflict[] = [];
  for (const handle of new Set([...said.keys(), ...byHandle.keys()])) {
    if (handle === WINDOWS_HANDLE) continue;
    const blocks = new Map(
      Object.entries(said.get(handle) ?? {}).map(([cidr, count]) => [canonical(cidr), count]),
    );
    const counts = byHandle.get(handle) ?? new Map<string, number>();
    for (const cidr of new Set([...blocks.keys(), ...counts.keys()])) {
      const [by, has] = [blocks.get(cidr) ?? 0, counts.get(cidr) ?? 0];
      if (by === has) continue;
      const problem = said.has(handle)
        ? `counts ${counted(by, "address", "addresses")} in block ${cidr}, which has ${has} of it`
        : `has no IPAMHandle, and ${counted(has, "address", "addresses")} in block ${cidr}`;
      conflicts.push({ kind: "handle", name: handle, problem });
    }
  }
  return conflicts;
}

/** Returns one text for each network. */
function canonical(cidr: string): string {
  const read = parseCidr(cidr);
  return read.ok ? formatCidr(read.value) : cidr;
}

/** Finds affinities that differ from the blocks. If the dump has any, each block must have one of its owner. */
function affinityConflicts(
  { affinities }: Dump,
  taken: readonly TakenBlock[],
): readonly Conflict[] {
  const current = affinities.filter(({ spec }) => !isDeleted(spec));
  if (current.length === 0) return [];
  const owners = new Map(taken.map(({ block }) => [formatCidr(block.cidr), block.owner]));
  const claims = new Set(
    current.map(({ spec }) => `${formatCidr(spec.cidr)} ${hostOfAffinity(spec)}`),
  );
  const contradicting = current
    .filter(({ spec }) => !isPassing(spec.state))
    .flatMap(({ spec }): Conflict[] => {
      const cidr = formatCidr(spec.cidr);
      const owner = owners.get(cidr);
      if (!owners.has(cidr) || owner === hostOfAffinity(spec)) return [];
      const problem = `is confirmed for ${hostOfAffinity(spec)}, but the block belongs to ${owner ?? "nobody"}`;
      return [{ kind: "affinity", name: cidr, problem }];
    });
  const missing = [...owners].flatMap(([cidr, owner]): Conflict[] => {
    if (owner === undefined || claims.has(`${cidr} ${owner}`)) return [];
    return [
      { kind: "affinity", name: cidr, problem: `is missing, though the block belongs to ${owner}` },
    ];
  });
  return [...contradicting, ...missing];
}

/** Returns true for a claim or a release in progress; the block decides its result. */
const isPassing = (state: string | null | undefined) =>
  state === "pending" || state === "pendingDeletion";

function notesOf(
  dump: Dump,
  taken: readonly TakenBlock[],
  used: readonly TakenBlock[],
): readonly string[] {
  const cidrs = new Set(used.map(({ block }) => formatCidr(block.cidr)));
  const stale = dump.affinities.filter(
    ({ spec }) => isDeleted(spec) || !cidrs.has(formatCidr(spec.cidr)),
  ).length;
  const deleted = dump.blocks.filter(({ spec }) => isDeleted(spec)).length;
  const cooling = taken.reduce((sum, one) => sum + one.cooling, 0);
  const unnamed = used
    .flatMap(({ addresses }) => addresses)
    .filter(({ handle, address }) => handle === handleOfNone(formatAddress(address))).length;
  const left: readonly (readonly [count: number, one: string, many: string])[] = [
    [cooling, "address that cools is free in Plat", "addresses that cool are free in Plat"],
    [deleted, "block is marked as deleted: left out", "blocks are marked as deleted: left out"],
    [
      taken.length - used.length,
      "block is empty and has no owner: left out",
      "blocks are empty and have no owner: left out",
    ],
    [
      stale,
      "affinity has no block, or is marked as deleted: left out",
      "affinities have no block, or are marked as deleted: left out",
    ],
    [
      unnamed,
      "address has no handle: its own is no-handle- and the address",
      "addresses have no handle: theirs is no-handle- and the address",
    ],
  ];
  return [
    ...left
      .filter(([count]) => count > 0)
      .map(([count, one, many]) => `${counted(count, one, many)}.`),
    ...dump.notes,
  ];
}
