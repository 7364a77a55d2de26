import { BLOCKS_PER_HOST_DEFAULT, BLOCKS_PER_HOST_MAX } from "../../base/limits.ts";
import { hostId } from "../../kernel/values/host.ts";
import { BITS } from "../../net/address.ts";
import {
  cidrOf,
  formatCidr,
  type Interval,
  intervalOf,
  overlaps,
  parseCidr,
  parseInterval,
} from "../../net/cidr.ts";
import type { BlockRead } from "../space/blocks.ts";
import type { PoolRead } from "../space/configuration.ts";
import { byAddress } from "../space/handles.ts";
import type { Space } from "../space/space.ts";
import { type IpamBlock, ipamBlock } from "./ipam-block.ts";
import { affinityName, handleOfNone } from "./names.ts";

/** Returns true for a pool that assigns addresses, not prefixes. */
export const isOfAddresses = ({ assign }: PoolRead): boolean => assign === "addresses";

/** Returns true for a pool that Calico can have: it has no pools of prefixes, and none for applications. */
export const isOfCalico = (pool: PoolRead): boolean =>
  isOfAddresses(pool) && !isForApplications(pool);

/** Returns true for a pool that serves applications only. */
export const isForApplications = ({ assignmentMode }: PoolRead): boolean =>
  assignmentMode === "Applications";

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

/**
 * Converts a space to Calico's resources, kind by kind. Handles and affinities are derived from the blocks. It leaves out pools of
 * prefixes and pools for applications, for which Calico has no resource, and the blocks of these alone.
 */
export function calicoResources(space: Space): readonly Resource[] {
  const { pools, settings, reservations, owners } = space;
  const isLeftOut = blocksOutside(pools);
  const blocks = space.blocks
    .filter((block) => !isLeftOut(block))
    .map(withoutWaiting)
    .toSorted(byBase);
  return [
    ...pools.filter(isOfCalico).map((pool) => resource("IPPool", pool.name, poolSpec(pool))),
    resource("IPAMConfig", "default", {
      strictAffinity: settings.strictAffinity,
      autoAllocateBlocks: settings.autoAllocateBlocks,
      maxBlocksPerHost: blockLimitOf(settings),
      ipCooldownSeconds: settings.cooldownSeconds,
    }),
    ...reservations.map(({ name, cidrs }) =>
      resource("IPReservation", name, { reservedCIDRs: cidrs.flatMap(networksOf) }),
    ),
    ...blocks.map((block) =>
      withoutMadeUpHandles(ipamBlock(block, owners, { namesMachines: true }), block),
    ),
    ...blocks.flatMap(affinityOf),
    ...handlesOf(blocks),
  ];
}

/** Leaves out addresses that wait for an instance, or for an application. Calico has none of that, and would never free them. */
const withoutWaiting = (block: BlockRead): BlockRead => ({
  ...block,
  addresses: block.addresses.filter(({ state }) => state !== "kept" && state !== "held"),
});

/** Returns a function that finds the blocks whose CIDR no pool of the export has, but a pool for applications. */
function blocksOutside(pools: readonly PoolRead[]): (block: BlockRead) => boolean {
  const cidrsOf = (some: readonly PoolRead[]) =>
    some.flatMap(({ cidr }) => {
      const read = parseCidr(cidr);
      return read.ok ? [intervalOf(read.value)] : [];
    });
  const written = cidrsOf(pools.filter(isOfCalico));
  const left = cidrsOf(pools.filter(isForApplications));
  return ({ cidr }) => {
    const read = parseInterval(cidr);
    const isIn = (all: readonly Interval[]) =>
      read.ok && all.some((each) => overlaps(each, read.value));
    return isIn(left) && !isIn(written);
  };
}

/**
 * Returns the limit of blocks as Calico has it. Its client takes 0 for 20. It cannot say that there is none, and it sets a limit only where
 * affinity is strict (`SetIPAMConfig` in libcalico-go/lib/ipam).
 */
function blockLimitOf({ strictAffinity, maxBlocksPerHost }: Space["settings"]): number {
  if (maxBlocksPerHost === BLOCKS_PER_HOST_DEFAULT && !strictAffinity) return 0;
  return maxBlocksPerHost ?? BLOCKS_PER_HOST_MAX;
}

/** Returns the settings of a space that Calico keeps as they are written, and that its own client would not set. */
export function unsettable(space: Space): readonly string[] {
  const { strictAffinity, autoAllocateBlocks } = space.settings;
  if (strictAffinity) return [];
  return [
    ...(autoAllocateBlocks ? [] : ["autoAllocateBlocks"]),
    ...(blockLimitOf(space.settings) === 0 ? [] : ["maxBlocksPerHost"]),
  ];
}

const resource = (kind: string, name: string, spec: object) => ({
  apiVersion: "crd.projectcalico.org/v1",
  kind,
  metadata: { name },
  spec,
});

function poolSpec({
  cidr,
  blockSize,
  disabled,
  assignmentMode,
  allowedUses,
  nodeSelector,
  namespaceSelector,
  routing,
}: PoolRead) {
  return {
    allowedUses,
    assignmentMode,
    blockSize,
    cidr,
    disabled,
    ...(namespaceSelector !== undefined && { namespaceSelector }),
    nodeSelector: nodeSelector ?? "all()",
    ...routing,
  };
}

function affinityOf({ cidr, host, affinityType = "host" }: BlockRead): Resource[] {
  if (host === undefined) return [];
  const spec = { cidr, deleted: "false", node: host, state: "confirmed", type: affinityType };
  return [resource("BlockAffinity", affinityName(hostId(affinityType, host), cidr), spec)];
}

/** Returns each handle with its addresses by block; names of objects are in lower case. */
function handlesOf(blocks: readonly BlockRead[]): Resource[] {
  const handles = new Map<string, Record<string, number>>();
  for (const { cidr, addresses } of blocks)
    for (const one of addresses) {
      const { state, handle } = one;
      if (state !== "assigned" || handle === undefined || isMadeUp(one)) continue;
      const counts = handles.get(handle) ?? {};
      counts[cidr] = (counts[cidr] ?? 0) + 1;
      handles.set(handle, counts);
    }
  return [...handles]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([handleID, block]) =>
      resource("IPAMHandle", handleID.toLowerCase(), { block, deleted: false, handleID }),
    );
}

/** Removes the handles that an import made up, so that Calico gets its addresses without one. */
function withoutMadeUpHandles(block: IpamBlock, { addresses }: BlockRead): IpamBlock {
  const madeUp = new Set(addresses.filter(isMadeUp).map(({ handle }) => handle));
  if (madeUp.size === 0) return block;
  const attributes = block.spec.attributes.map(({ handle_id, ...attribute }) =>
    handle_id === undefined || madeUp.has(handle_id) ? attribute : { handle_id, ...attribute },
  );
  return { ...block, spec: { ...block.spec, attributes } };
}

const isMadeUp = ({ address, handle }: BlockRead["addresses"][number]): boolean =>
  handle === handleOfNone(address);

/** Splits a range into networks, because Calico has no ranges. */
function networksOf(text: string): string[] {
  const read = parseInterval(text);
  if (!read.ok || !text.includes("-")) return [text];
  const networks: string[] = [];
  const { family, last }: Interval = read.value;
  let { first } = read.value;
  while (first <= last) {
    let prefix = BITS[family];
    const grows = (to: number) => {
      const { base } = cidrOf({ family, value: first }, to);
      return base === first && first + (1n << BigInt(BITS[family] - to)) - 1n <= last;
    };
    while (prefix > 0 && grows(prefix - 1)) prefix--;
    networks.push(formatCidr({ family, base: first, prefix }));
    first += 1n << BigInt(BITS[family] - prefix);
  }
  return networks;
}

const byBase = (a: BlockRead, b: BlockRead): number => byAddress(baseOf(a), baseOf(b));

const baseOf = ({ cidr }: BlockRead) => ({ address: cidr.slice(0, cidr.indexOf("/")) });
