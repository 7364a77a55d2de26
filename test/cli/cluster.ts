import { formatAddress } from "../../src/net/address.ts";
import { addressAt, type Cidr, formatCidr, parseCidr, sizeOf } from "../../src/net/cidr.ts";

/** A resource as kubectl prints it. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly spec: Record<string, unknown>;
}

interface Attribute {
  readonly handle_id?: string;
  readonly secondary?: Readonly<Record<string, string>>;
  readonly alternateOwnerAttrs?: Readonly<Record<string, string>>;
  readonly releasedAt?: string;
}

/** A block of Calico to which a test adds addresses. Its resources show them. */
export class CalicoBlock {
  readonly cidr: Cidr;
  readonly affinity: string | undefined;
  readonly size: number;
  readonly #attributes: Attribute[] = [];
  readonly #allocations: (number | null)[];

  constructor(cidr: string, affinity?: string) {
    this.cidr = networkOf(cidr);
    this.affinity = affinity;
    this.size = Number(sizeOf(this.cidr));
    this.#allocations = new Array(this.size).fill(null);
  }

  get text() {
    return formatCidr(this.cidr);
  }

  get free() {
    return this.#allocations.filter((index) => index === null).length;
  }

  /** Assigns the next free ordinal, or this one, with an attribute. */
  take(attribute: Attribute, ordinal = this.#allocations.indexOf(null)): string {
    const text = JSON.stringify(attribute);
    const known = this.#attributes.findIndex((one) => JSON.stringify(one) === text);
    this.#allocations[ordinal] = known >= 0 ? known : this.#attributes.push(attribute) - 1;
    return formatAddress(addressAt(this.cidr, ordinal));
  }

  resource(): Resource {
    const unallocated = this.#allocations.flatMap((index, i) => (index === null ? [i] : []));
    return resource("IPAMBlock", nameOf(this.text), {
      ...(this.affinity !== undefined && { affinity: this.affinity }),
      allocations: this.#allocations,
      attributes: this.#attributes,
      cidr: this.text,
      deleted: false,
      sequenceNumber: 1_700_000_000_000_000_000,
      sequenceNumberForAllocation: {},
      strictAffinity: false,
      unallocated,
    });
  }

  /** Returns the number of its assigned addresses, by handle. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const index of this.#allocations) {
      const { handle_id, releasedAt } = (index === null ? {} : this.#attributes[index]) ?? {};
      if (handle_id === undefined || releasedAt !== undefined) continue;
      counts.set(handle_id, (counts.get(handle_id) ?? 0) + 1);
    }
    return counts;
  }
}

/** Returns the output of `kubectl get ippools,ipamblocks,blockaffinities,ipamhandles,ipamconfigs` for these blocks. */
export function dumpOf(
  pools: readonly Resource[],
  blocks: readonly CalicoBlock[],
  config: Record<string, unknown> = { strictAffinity: false, autoAllocateBlocks: true },
): Resource[] {
  const handles = new Map<string, Record<string, number>>();
  for (const block of blocks)
    for (const [handle, count] of block.counts()) {
      if (handle === WINDOWS) continue;
      handles.set(handle, { ...handles.get(handle), [block.text]: count });
    }
  return [
    ...pools,
    resource("IPAMConfig", "default", config),
    ...blocks.map((block) => block.resource()),
    ...blocks.flatMap(({ text, affinity = "" }) => {
      const [, type = "", node = ""] = /^(host|virtual):(.*)$/.exec(affinity) ?? [];
      return node === ""
        ? []
        : [
            resource("BlockAffinity", `${node}-${nameOf(text)}`, {
              cidr: text,
              deleted: "false",
              node,
              state: "confirmed",
              type,
            }),
          ];
    }),
    ...[...handles].map(([handleID, block]) =>
      resource("IPAMHandle", handleID.toLowerCase(), { block, deleted: false, handleID }),
    ),
  ];
}

export const WINDOWS = "windows-reserved-ipam-handle";

export const pool = (name: string, spec: Record<string, unknown>): Resource =>
  resource("IPPool", name, spec);

export const resource = (kind: string, name: string, spec: Record<string, unknown>): Resource => ({
  apiVersion: "crd.projectcalico.org/v1",
  kind,
  metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z", resourceVersion: "7", uid: name },
  spec,
});

/** Formats resources as kubectl prints them. */
export const listText = (items: readonly object[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items, metadata: { resourceVersion: "" } });

/**
 * Makes a cluster. Its pods have an address of either family or of both, and some addresses are borrowed from blocks of
 * other hosts. It has tunnel addresses, blocks whose owner is gone, a load balancer, Windows hosts, machines that move,
 * addresses without a handle, and some that cool. It has a disabled pool, and one that serves only requests that name
 * it. The same figures make the same cluster.
 */
export function clusterOf(nodes: number, addresses: number): Resource[] {
  const random = sequence(nodes + addresses);
  const four = blocksFrom("10.0.0.0", 26, 4);
  const six = blocksFrom("2001:db8::", 122, 6);
  const names = Array.from({ length: nodes }, (_, i) => `node-${i}`);
  const blocks: CalicoBlock[] = [];
  const own = new Map(
    names.map((node, i) => {
      const isWindows = i % 50 === 7;
      const both = [
        new CalicoBlock(four(), `host:${node}`),
        new CalicoBlock(six(), `host:${node}`),
      ] as const;
      if (isWindows) reserve(both[0]);
      blocks.push(...both);
      return [node, both] as const;
    }),
  );
  let left = addresses;
  const give = (block: CalicoBlock, attribute: Attribute) => {
    block.take(attribute);
    left--;
  };
  const gone = Array.from({ length: Math.ceil(nodes / 50) }, () => new CalicoBlock(four()));
  const balancer = new CalicoBlock("172.16.0.0/26", "virtual:load-balancer");
  const closed = new CalicoBlock("10.252.0.0/26", "host:node-0");
  const named = new CalicoBlock("10.253.0.0/26", "host:node-0");
  blocks.push(...gone, balancer, closed, named);
  for (const [i, node] of names.entries())
    give(own.get(node)?.[0] as CalicoBlock, {
      handle_id: `vxlan-tunnel-addr-${node}`,
      secondary: { node, type: "vxlanTunnelAddress" },
      ...(i % 100 === 99 && { alternateOwnerAttrs: { node, type: "vxlanTunnelAddress-next" } }),
    });
  for (const [i, block] of gone.entries())
    for (const each of [1, 2, 3]) give(block, podOf(`left-${i}-${each}`, names[i] ?? "node-0"));
  for (const each of [1, 2, 3, 4, 5])
    give(balancer, {
      handle_id: `lb-${each}`,
      secondary: { namespace: "shop", service: `web-${each}`, type: "LoadBalancer" },
    });
  give(closed, podOf("closed", "node-0"));
  give(named, podOf("named", "node-0"));
  give(named, { secondary: { node: "node-0", note: "by hand" } });
  for (let pod = 0; left > 0; pod++) {
    const node = names[pod % nodes] ?? "node-0";
    const [v4, v6] = own.get(node) ?? [];
    const attribute = podOf(`web-${pod}`, node);
    // Some pods have an address from a block of another host.
    const [other] = own.get(names[random(nodes)] ?? "") ?? [];
    const from = pod % 40 === 39 && other && other.free > 8 ? other : v4;
    if (from && from.free > 4) give(from, attribute);
    if (v6 && left > 0 && pod % 3 !== 0 && v6.free > 4) give(v6, attribute);
    if (pod > 64 * nodes) throw new Error("the blocks of these nodes have not so many addresses");
  }
  for (const block of blocks.slice(0, 3))
    block.take({ ...podOf("released", "node-0"), releasedAt: "2026-01-01T00:00:00Z" });
  return dumpOf(
    [
      pool("default-ipv4-ippool", {
        allowedUses: ["Workload", "Tunnel"],
        blockSize: 26,
        cidr: "10.0.0.0/12",
        ipipMode: "Never",
        natOutgoing: true,
        nodeSelector: "all()",
        vxlanMode: "Always",
      }),
      pool("default-ipv6-ippool", {
        blockSize: 122,
        cidr: "2001:db8::/64",
        nodeSelector: 'kubernetes.io/os == "linux"',
      }),
      pool("balancers", { allowedUses: ["LoadBalancer"], blockSize: 26, cidr: "172.16.0.0/24" }),
      pool("closed", { blockSize: 26, cidr: "10.252.0.0/24", disabled: true }),
      pool("named", { assignmentMode: "Manual", blockSize: 26, cidr: "10.253.0.0/24" }),
    ],
    blocks,
    {
      autoAllocateBlocks: true,
      ipCooldownSeconds: 7,
      maxBlocksPerHost: 4,
      strictAffinity: true,
    },
  );
}

const podOf = (name: string, node: string): Attribute => ({
  handle_id: `k8s-pod-network.${name}`,
  secondary: { namespace: "shop", node, pod: name, timestamp: "2026-01-01 00:00:00 +0000 UTC" },
});

function reserve(block: CalicoBlock): void {
  const attribute = { handle_id: WINDOWS, secondary: { note: "windows host rsvd" } };
  for (const ordinal of [0, 1, 2, block.size - 1]) block.take(attribute, ordinal);
}

/** Makes consecutive blocks of one size. */
function blocksFrom(base: string, prefix: number, family: 4 | 6): () => string {
  const { base: first } = networkOf(`${base}/${prefix}`);
  const size = 1n << BigInt((family === 4 ? 32 : 128) - prefix);
  let next = 0n;
  return () => formatCidr({ family, base: first + size * next++, prefix });
}

function networkOf(text: string): Cidr {
  const read = parseCidr(text);
  if (read.ok) return read.value;
  throw new Error(read.problem);
}

const nameOf = (cidr: string) => cidr.replaceAll(/[.:/]/g, "-");

/** Makes whole numbers below a bound, the same for the same seed (Lehmer). */
function sequence(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
