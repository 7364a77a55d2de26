import { BLOCKS_PER_HOST_MAX } from "../../base/limits.ts";
import { hostId } from "../../kernel/values/host.ts";
import { BITS, compareAddresses, parseAddress } from "../../net/address.ts";
import { cidrOf, formatCidr, type Interval, parseInterval } from "../../net/cidr.ts";
import type { Pool, Settings } from "../import/current.ts";
import type { Held, HeldBlock } from "../snapshot/held.ts";
import { type IpamBlock, ipamBlock } from "../snapshot/ipam-block.ts";
import { affinityName, handleOfNone } from "./names.ts";

/** The contents of a space, as they were read. */
export interface Inventory extends Held {
  readonly pools: readonly Pool[];
  /** The names of the pools that are left out, because they assign prefixes. */
  readonly prefixPools: readonly string[];
  readonly settings: Settings;
  readonly reservations: readonly { readonly name: string; readonly cidrs: readonly string[] }[];
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

/** Converts the inventory to Calico's resources, kind by kind. Handles and affinities are derived from the blocks. */
export function resourcesOf(inventory: Inventory): readonly Resource[] {
  const { pools, settings, reservations, owners } = inventory;
  const blocks = inventory.blocks.toSorted(byBase);
  return [
    ...pools.map((pool) => resource("IPPool", pool.name, poolSpec(pool))),
    resource("IPAMConfig", "default", {
      strictAffinity: settings.strictAffinity,
      autoAllocateBlocks: settings.autoAllocateBlocks,
      maxBlocksPerHost: settings.maxBlocksPerHost ?? BLOCKS_PER_HOST_MAX,
      ipCooldownSeconds: settings.cooldownSeconds,
    }),
    ...reservations.map(({ name, cidrs }) =>
      resource("IPReservation", name, { reservedCIDRs: cidrs.flatMap(networksOf) }),
    ),
    ...blocks.map((block) => withoutMadeUpHandles(ipamBlock(block, owners), block)),
    ...blocks.flatMap(affinityOf),
    ...handlesOf(blocks),
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
}: Pool) {
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

function affinityOf({ cidr, host, affinityType = "host" }: HeldBlock): Resource[] {
  if (host === undefined) return [];
  const spec = { cidr, deleted: "false", node: host, state: "confirmed", type: affinityType };
  return [resource("BlockAffinity", affinityName(hostId(affinityType, host), cidr), spec)];
}

/** Returns each handle with its addresses by block; names of objects are in lower case. */
function handlesOf(blocks: readonly HeldBlock[]): Resource[] {
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
function withoutMadeUpHandles(block: IpamBlock, { addresses }: HeldBlock): IpamBlock {
  const madeUp = new Set(addresses.filter(isMadeUp).map(({ handle }) => handle));
  if (madeUp.size === 0) return block;
  const attributes = block.spec.attributes.map(({ handle_id, ...attribute }) =>
    handle_id === undefined || madeUp.has(handle_id) ? attribute : { handle_id, ...attribute },
  );
  return { ...block, spec: { ...block.spec, attributes } };
}

const isMadeUp = ({ address, handle }: HeldBlock["addresses"][number]): boolean =>
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

function byBase(a: HeldBlock, b: HeldBlock): number {
  const [first, second] = [a, b].map(({ cidr }) => parseAddress(cidr.slice(0, cidr.indexOf("/"))));
  return first?.ok && second?.ok ? compareAddresses(first.value, second.value) : 0;
}
