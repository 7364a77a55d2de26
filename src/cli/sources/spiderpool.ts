import * as v from "valibot";
import { newWorkloadProblems } from "../../api/schema/handle.ts";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { isRecord } from "../../api/schema/schema.ts";
import { groupedBy } from "../../base/grouped-by.ts";
import { parseJson } from "../../base/json-text.ts";
import { RESERVED_CIDRS_MAX } from "../../base/limits.ts";
import { unsaidOfPool } from "../../contract/manifest-fields.ts";
import { hostId } from "../../kernel/values/host.ts";
import {
  type Address,
  BITS,
  compareAddresses,
  formatAddress,
  parseAddress,
} from "../../net/address.ts";
import { countOf, formatSet, NO_ADDRESSES, unionOf } from "../../net/address-set.ts";
import { cidrOf, contains, formatCidr, intervalOf } from "../../net/cidr.ts";
import { POD_UID } from "../../nouns/address/attachment.ts";
import { parseNumber } from "../../nouns/application/application.ts";
import { isVirtualMachine, workloadHandle } from "../../nouns/application/workload.ts";
import { poolFieldsOf } from "../../nouns/pool/contract/answer.ts";
import type { PoolDocument } from "../../nouns/pool/contract/request.ts";
import {
  applicationOfPool,
  parseSpiderIpPool,
  SPIDER_PREFIX,
} from "../../nouns/pool/contract/spider-ippool.ts";
import { parseSpiderSubnet } from "../../nouns/pool/contract/spider-subnet.ts";
import { parseReservedIp } from "../../nouns/reservation/contract/spider-reserved-ip.ts";
import {
  addressConflicts,
  type Conflict,
  type Desired,
  type DesiredAddress,
  type DesiredApplication,
  type DesiredBlock,
  type DesiredPool,
  type DesiredReservation,
} from "../import/desired.ts";
import { closingNotes, isServing, type Objects, objectsIn } from "../import/dump.ts";
import { rangedSetOf } from "../space/configuration.ts";

/*
 * The resources of Spiderpool, as far as an import reads them:
 * https://github.com/spidernet-io/spiderpool/tree/main/pkg/k8s/apis/spiderpool.spidernet.io/v2beta1
 */

const THEIRS = /^spiderpool\.spidernet\.io\//;
const texts = v.nullish(v.record(v.string(), v.string()));

const OBJECT = {
  apiVersion: v.string(),
  kind: v.string(),
  metadata: v.looseObject({
    name: v.string(),
    namespace: v.nullish(v.string()),
    labels: texts,
    annotations: texts,
    deletionTimestamp: v.nullish(v.string()),
  }),
};

const detail = v.looseObject({
  interface: v.string(),
  ipv4: v.nullish(v.string()),
  ipv6: v.nullish(v.string()),
  ipv4Pool: v.nullish(v.string()),
  ipv6Pool: v.nullish(v.string()),
});

const declared = v.looseObject({ ...OBJECT, spec: v.unknown() });

const KINDS = {
  SpiderIPPool: {
    apiVersions: THEIRS,
    schema: v.looseObject({
      ...declared.entries,
      status: v.nullish(v.looseObject({ allocatedIPs: v.optional(v.unknown()) })),
    }),
  },
  SpiderSubnet: { apiVersions: THEIRS, schema: declared },
  SpiderReservedIP: { apiVersions: THEIRS, schema: declared },
  SpiderEndpoint: {
    apiVersions: THEIRS,
    schema: v.looseObject({
      ...OBJECT,
      status: v.looseObject({
        current: v.looseObject({ uid: v.string(), node: v.string(), ips: v.array(detail) }),
        ownerControllerType: v.string(),
        ownerControllerName: v.string(),
      }),
    }),
  },
};

type Read = Objects<typeof KINDS>;
type Declared = v.InferOutput<typeof declared>;
type IpPool = Read["SpiderIPPool"][number];
type Endpoint = Read["SpiderEndpoint"][number];

/** The reservation of the addresses that pods have in Spiderpool, and that the import leaves out. */
const LEFT_OUT = "spiderpool-left-out";

/**
 * Returns the desired state of a dump of Spiderpool. A pool that Spiderpool made for an application becomes a pool without conditions
 * whose addresses the application holds. An endpoint with one address of a family becomes the instance of its workload. The addresses
 * of any other endpoint are reserved, so that nobody else gets them, and a note tells of each. The records of a pool decide who has an
 * address, because an endpoint can outlive its pod.
 */
export function desiredFromSpiderpool(texts: ReadonlyMap<string, string>): Desired {
  const { objects, notes } = objectsIn(texts, KINDS);
  const conflicts: Conflict[] = [];
  const poolsOf = <Item extends { readonly metadata: { readonly name: string } }>(
    items: readonly Item[],
    read: (item: Item) => DesiredPool,
  ) =>
    items.flatMap((item) => {
      const pool = orProblem(() => read(item));
      if (!(pool instanceof Problem)) return [pool];
      conflicts.push({
        kind: "pool",
        name: item.metadata.name,
        problem: `is rejected: ${pool.detail}`,
      });
      return [];
    });
  const pools = [
    ...poolsOf(objects.SpiderIPPool, ipPoolOf),
    ...poolsOf(objects.SpiderSubnet, (subnet) =>
      desiredPool("SpiderSubnet", subnet, parseSpiderSubnet(manifestOf(subnet))),
    ),
  ];
  const reservations = objects.SpiderReservedIP.filter(isServing).flatMap((item) => {
    const read = orProblem(() => parseReservedIp(manifestOf(item)));
    const { name } = item.metadata;
    if (!(read instanceof Problem)) return [{ name, cidrs: read.spec.cidrs }];
    conflicts.push({ kind: "reservation", name, problem: `is rejected: ${read.detail}` });
    return [];
  });
  const uses = objects.SpiderIPPool.flatMap((pool) => {
    const read = usesOf(pool);
    if (read) return read;
    conflicts.push({ kind: "pool", name: pool.metadata.name, problem: UNREADABLE });
    return [];
  });
  const usesAt = groupedBy(uses, ({ address }) => formatAddress(address));
  const endpoints = objects.SpiderEndpoint.map((endpoint) => endpointIn(endpoint, usesAt));
  const applications = applicationsOf(objects.SpiderIPPool, endpoints, pools);
  const { addresses, leftOut } = addressesOf(
    objects.SpiderIPPool,
    endpoints,
    uses,
    new Set(applications.map(({ name }) => name)),
  );
  const { SpiderIPPool, SpiderSubnet, SpiderReservedIP } = objects;
  return {
    pools,
    reservations: [...reservations, ...reservationsOf(leftOut)],
    ownReservation: new RegExp(`^${LEFT_OUT}(-\\d+)?$`),
    labelled: [],
    applications,
    blocks: blocksOf(pools, addresses),
    addresses,
    conflicts: [...conflicts, ...addresses.flatMap(addressConflicts)],
    notes: [
      ...notes,
      ...[...SpiderIPPool, ...SpiderSubnet].flatMap(closingNotes),
      ...SpiderReservedIP.filter((item) => !isServing(item)).map(
        ({ metadata: { name } }) => `Reservation ${name} is being deleted: left out.`,
      ),
      ...new Set(leftOut.map(noteOf)),
    ],
  };
}

/** Version v1 has the same fields. */
const API_VERSION = "spiderpool.spidernet.io/v2beta1";

const UNREADABLE = "has a status.allocatedIPs that is no JSON object of addresses";

const manifestOf = ({ kind, metadata: { name }, spec }: Declared) => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name },
  spec,
});

function desiredPool(
  kind: "SpiderIPPool" | "SpiderSubnet",
  item: Declared,
  { spec }: PoolDocument,
): DesiredPool {
  const { name } = item.metadata;
  const { cidr, blockSize } = spec;
  const fields = poolFieldsOf(spec);
  return {
    ...{ name, cidr, blockSize, unsaid: unsaidOfPool(kind) },
    fields: isServing(item) ? fields : { ...fields, disabled: true },
  };
}

/** Returns the pool of a SpiderIPPool. The application of one that Spiderpool made has its addresses, whatever labels its pods have. */
function ipPoolOf(pool: IpPool): DesiredPool {
  const manifest = manifestOf(pool);
  const { spec } = manifest;
  if (!applicationOfPool(pool.metadata) || !isRecord(spec))
    return desiredPool("SpiderIPPool", pool, parseSpiderIpPool(manifest));
  const { podAffinity: _, ...open } = spec;
  return desiredPool("SpiderIPPool", pool, parseSpiderIpPool({ ...manifest, spec: open }));
}

/**
 * Returns the applications of the pools that Spiderpool made. Each names its pools, and behind them their subnets, from which it gets
 * more when it grows.
 */
function applicationsOf(
  theirs: readonly IpPool[],
  endpoints: readonly EndpointIn[],
  pools: readonly DesiredPool[],
): readonly DesiredApplication[] {
  const known = new Map(pools.map((pool) => [pool.name, pool]));
  const owned = groupedBy(
    theirs.flatMap((pool) => {
      const owner = applicationOfPool(pool.metadata);
      const { name } = pool.metadata;
      return owner && known.has(name) ? [{ ...owner, name, pool }] : [];
    }),
    ({ application }) => application,
  );
  return [...owned].map(([name, all]) => {
    const size = Math.max(...all.map((each) => sizeOf(known.get(each.name))));
    const instances = endpoints.filter(
      ({ endpoint, stale }) => stale === undefined && applicationOf(endpoint) === name,
    );
    const ordinals = ordinalsOf(instances);
    const [start = 0] = ordinals;
    const replicas = Math.max(instances.length, (ordinals.at(-1) ?? start - 1) - start + 1);
    const spare = Math.max(0, size - replicas);
    const number = numberOf(all.map(({ pool }) => pool)) ?? `+${spare}`;
    const interfaces = [...groupedBy(all, ({ interfaceName }) => interfaceName)].map(
      ([interfaceName, of]) => ({
        name: interfaceName,
        pools: [
          ...of.map((each) => each.name),
          ...new Set(of.flatMap(({ subnet }) => (subnet && known.has(subnet) ? [subnet] : []))),
        ],
      }),
    );
    const [only, ...others] = interfaces;
    const keep = all.some(
      ({ pool }) => pool.metadata.labels?.[`${SPIDER_PREFIX}/ippool-reclaim`] === "false",
    );
    return {
      name,
      pools: interfaces.flatMap((each) => each.pools),
      fields: {
        replicas: number.startsWith("+") ? Math.max(0, size - Number(number)) : replicas,
        start,
        addresses: {
          number,
          ...(others.length === 0 && only ? { pools: only.pools } : { interfaces }),
          keep,
        },
      },
    };
  });
}

/** Returns the ordinals of the instances of a StatefulSet, the lowest first. */
const ordinalsOf = (instances: readonly EndpointIn[]): readonly number[] =>
  instances
    .flatMap(({ endpoint }) => {
      const { kind, instance } = instanceOf(endpoint);
      const [, digits] = /-(\d+)$/.exec(instance) ?? [];
      return kind === "StatefulSet" && digits !== undefined ? [Number(digits)] : [];
    })
    .toSorted((a, b) => a - b);

/** Returns the number of an application as Spiderpool notes it at its pools: fixed, or beyond its replicas; nothing if it does not. */
const numberOf = (pools: readonly IpPool[]): string | undefined =>
  pools
    .map(({ metadata }) => metadata.annotations?.[`${SPIDER_PREFIX}/ippool-ip-number`])
    .find((text) => text && parseNumber(text).ok) ?? undefined;

/** Returns the number of addresses of a pool. */
const sizeOf = (pool: DesiredPool | undefined): number =>
  Number(countOf((pool && rangedSetOf(pool.fields)) ?? NO_ADDRESSES));

function applicationOf(endpoint: Endpoint): string {
  const { namespace, kind, name } = instanceOf(endpoint);
  return `${namespace}/${kind}/${name}`;
}

/** An endpoint, its addresses, and the reason why its pod has them no longer, if the records of the pools say so. */
interface EndpointIn {
  readonly endpoint: Endpoint;
  readonly where: string;
  readonly all: readonly Detail[];
  /** Follows the name of the endpoint in a sentence. */
  readonly stale: string | undefined;
}

type UsesAt = ReadonlyMap<string, readonly UseOfAddress[]>;

function endpointIn(endpoint: Endpoint, usesAt: UsesAt): EndpointIn {
  const { namespace, instance, uid } = instanceOf(endpoint);
  const all = detailsOf(endpoint);
  const others = all
    .flatMap(({ address }) => usesAt.get(formatAddress(address)) ?? [])
    // A pod that starts again has its old record until Spiderpool writes the new uid into it.
    .filter((one) => one.pod !== `${namespace}/${instance}` && one.uid !== uid)
    .filter((one) => one.pod !== undefined || one.uid !== undefined);
  const [other] = others;
  return {
    endpoint,
    where: `SpiderEndpoint ${namespace}/${instance}`,
    all,
    stale:
      other &&
      `has ${formatAddress(other.address)}, which is of ${other.pod ?? other.uid} in SpiderIPPool ${other.pool}`,
  };
}

/** An address that an endpoint or a pool has and the import does not assign to it, and the reason. */
interface LeftOut {
  readonly address: Address;
  /** The resource that has the address, and what follows it in a sentence. */
  readonly where: string;
  readonly why: string;
  /** False if the import assigns the address to another endpoint. */
  readonly isReserved: boolean;
}

const noteOf = ({ address, where, why, isReserved }: LeftOut): string =>
  isReserved
    ? `${formatAddress(address)} is left out, and reserved: ${where} ${why}.`
    : `${where} is left out: it ${why}.`;

/** Returns the reservations of what is left out: one, or more if one has no room for all the runs of addresses. */
function reservationsOf(leftOut: readonly LeftOut[]): readonly DesiredReservation[] {
  const runs = formatSet(
    unionOf(
      leftOut
        .filter(({ isReserved }) => isReserved)
        .map(({ address }) => intervalOf(cidrOf(address, BITS[address.family]))),
    ),
  );
  const count = Math.ceil(runs.length / RESERVED_CIDRS_MAX);
  return Array.from({ length: count }, (_, i) => ({
    name: i === 0 ? LEFT_OUT : `${LEFT_OUT}-${i + 1}`,
    cidrs: runs.slice(i * RESERVED_CIDRS_MAX, (i + 1) * RESERVED_CIDRS_MAX),
  }));
}

/** Returns the addresses of the endpoints, and those that the import leaves out. */
function addressesOf(
  pools: readonly IpPool[],
  endpoints: readonly EndpointIn[],
  uses: readonly UseOfAddress[],
  applications: ReadonlySet<string>,
): { readonly addresses: readonly DesiredAddress[]; readonly leftOut: readonly LeftOut[] } {
  const owners = new Map(
    pools.map((pool) => [pool.metadata.name, applicationOfPool(pool.metadata)?.application]),
  );
  const having = (some: readonly EndpointIn[]) =>
    groupedBy(
      some.flatMap(({ where, all }) =>
        all.map(({ address }) => ({ where, text: formatAddress(address) })),
      ),
      ({ text }) => text,
    );
  const claims = having(endpoints.filter(({ stale }) => stale === undefined));
  const judged = endpoints.map((one) => ({
    ...one,
    why: one.stale ?? whyShared(one, claims) ?? whyNot(one.endpoint, one.all, owners, applications),
  }));
  const taken = judged.filter(({ why }) => why === undefined);
  const assigned = having(taken);
  const known = having(endpoints);
  const leftOut = [
    ...judged.flatMap(({ where, all, why }) =>
      why === undefined ? [] : all.map(({ address }) => ({ address, where, why })),
    ),
    ...uses
      .filter(({ address }) => !known.has(formatAddress(address)))
      .map(({ address, pool }) => ({
        address,
        where: `SpiderIPPool ${pool}`,
        why: "says that it is in use, and no SpiderEndpoint has it",
      })),
  ].map((one) => ({ ...one, isReserved: !assigned.has(formatAddress(one.address)) }));
  const inOrder = <Item extends { readonly address: Address }>(items: readonly Item[]) =>
    items.toSorted((a, b) => compareAddresses(a.address, b.address));
  return {
    addresses: inOrder(
      taken.flatMap(({ endpoint, all, where }) =>
        all.map((one) => desiredAddress(endpoint, one, where)),
      ),
    ),
    leftOut: inOrder(leftOut),
  };
}

/** Returns the reason why nobody knows which endpoint has an address: what follows its name in a sentence. */
function whyShared(
  { where, all }: EndpointIn,
  claims: ReadonlyMap<string, readonly { readonly where: string }[]>,
): string | undefined {
  for (const { address } of all) {
    const text = formatAddress(address);
    const other = claims.get(text)?.find((each) => each.where !== where);
    if (other) return `has ${text}, and so has ${other.where}`;
  }
  return undefined;
}

/** An address of an endpoint, its interface and its pool. */
interface Detail {
  readonly address: Address;
  readonly interfaceName: string;
  readonly pool: string | null | undefined;
}

const detailsOf = ({ status: { current } }: Endpoint): readonly Detail[] =>
  current.ips.flatMap(({ interface: interfaceName, ipv4, ipv4Pool, ipv6, ipv6Pool }) =>
    [
      { text: ipv4, pool: ipv4Pool },
      { text: ipv6, pool: ipv6Pool },
    ].flatMap(({ text, pool }) => {
      const read = parseAddress((text ?? "").replace(/\/\d+$/, ""));
      return read.ok ? [{ address: read.value, interfaceName, pool }] : [];
    }),
  );

/** Returns the reason why an endpoint cannot be imported: what follows its name in a sentence. */
function whyNot(
  endpoint: Endpoint,
  all: readonly Detail[],
  owners: ReadonlyMap<string, string | undefined>,
  applications: ReadonlySet<string>,
): string | undefined {
  if (all.length === 0) return undefined;
  const interfaces = new Set(all.map(({ interfaceName }) => interfaceName)).size;
  if (interfaces > 1)
    return `has addresses of ${interfaces} interfaces, and an instance gets stated addresses of one`;
  if (new Set(all.map(({ address }) => address.family)).size < all.length)
    return `has ${all.length} addresses, and an instance gets one stated address of a family`;
  const own = applicationOf(endpoint);
  for (const { pool } of all) {
    const owner = owners.get(pool ?? "");
    if (owner !== undefined && owner !== own)
      return `is of ${own}, and its pool is that of ${owner}`;
    if (owner === undefined && applications.has(own))
      return `is of application ${own}, and its address is not one of those that the application has`;
  }
  const { namespace, ...workload } = instanceOf(endpoint);
  const [problem] = newWorkloadProblems({ namespace, workload });
  return problem && `has a ${problem.field} that ${problem.problem}`;
}

const instanceOf = ({ metadata, status }: Endpoint) => ({
  namespace: metadata.namespace ?? "default",
  kind: status.ownerControllerType,
  name: status.ownerControllerName,
  instance: metadata.name,
  uid: status.current.uid,
});

function desiredAddress(
  endpoint: Endpoint,
  { address, interfaceName }: Detail,
  where: string,
): DesiredAddress {
  const workload = instanceOf(endpoint);
  return {
    address,
    handle: workloadHandle(workload),
    host: hostId("host", endpoint.status.current.node),
    attributes: {
      namespace: workload.namespace,
      // The pod of a virtual machine has a new name after each start, and the dump does not say it.
      ...(isVirtualMachine(workload)
        ? { "vmi-name": workload.instance }
        : { pod: workload.instance }),
      ifName: interfaceName,
      // By it the controller tells Plat of the end of the pod. The container, by which CNI knows it, is not in the dump.
      [POD_UID]: workload.uid,
    },
    workload,
    where,
  };
}

/** A record of a pool: the pod that has an address, as far as it is said. */
interface UseOfAddress {
  readonly address: Address;
  readonly pool: string;
  /** Such as `shop/web-1`; of a virtual machine its own name. */
  readonly pod: string | undefined;
  readonly uid: string | undefined;
}

const useOfAddress = v.looseObject({
  namespace: v.nullish(v.string()),
  pod: v.nullish(v.string()),
  podUid: v.nullish(v.string()),
});

/**
 * Returns the records in the status of a pool: a JSON text, or before v0.5 an object whose records have the namespace as a field of
 * its own; nothing if they are unreadable.
 */
function usesOf({ metadata, status }: IpPool): readonly UseOfAddress[] | undefined {
  const said = status?.allocatedIPs;
  if (said === undefined || said === null || said === "") return [];
  const value = typeof said === "string" ? parsedJson(said) : said;
  if (value === null) return [];
  if (!isRecord(value)) return undefined;
  const uses = Object.entries(value).map(([key, one]): UseOfAddress | undefined => {
    const address = parseAddress(key);
    const read = v.safeParse(useOfAddress, one);
    if (!address.ok || !read.success) return undefined;
    const { namespace, pod, podUid } = read.output;
    return {
      address: address.value,
      pool: metadata.name,
      pod: pod ? (namespace ? `${namespace}/${pod}` : pod) : undefined,
      uid: podUid || undefined,
    };
  });
  return uses.every((one) => one !== undefined) ? uses : undefined;
}

/** Parses a JSON text; nothing if it is none, or if an object in it has a field twice. */
function parsedJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Returns the blocks of the addresses, so that the import reads what they have. */
function blocksOf(
  pools: readonly DesiredPool[],
  addresses: readonly DesiredAddress[],
): readonly DesiredBlock[] {
  const blocks = addresses.flatMap(({ address }) => {
    const pool = pools.find(({ cidr }) => contains(cidr, address));
    const cidr = pool && cidrOf(address, pool.blockSize);
    return cidr ? [[formatCidr(cidr), { cidr, isShared: true }] as const] : [];
  });
  return [...new Map(blocks).values()];
}
