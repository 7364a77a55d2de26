import * as v from "valibot";
import type { PlatClient } from "../../client/index.ts";
import { type Address, compareAddresses, formatAddress, parseAddress } from "../../net/address.ts";
import { contains, parseNetwork } from "../../net/cidr.ts";
import { handleOfAttachment } from "../../nouns/address/attachment.ts";
import type { Desired } from "../import/desired.ts";
import { type Objects, objectsIn } from "../import/dump.ts";
import { desiredFromSystem, type ForeignAddress } from "../import/in-pools.ts";
import { usageErrors } from "../shell/exit.ts";

/*
 * The resources of whereabouts, as far as an import reads them, and the pods, which alone tell the node of an address:
 * https://github.com/k8snetworkplumbingwg/whereabouts/tree/master/pkg/api/whereabouts.cni.cncf.io/v1alpha1
 */

/** The owner of an address. An IPPool calls the container `id`, and a reservation `containerid`. */
const owner = v.looseObject({
  id: v.nullish(v.string()),
  containerid: v.nullish(v.string()),
  podref: v.nullish(v.string()),
  ifname: v.nullish(v.string()),
});

const named = v.looseObject({ name: v.string(), namespace: v.nullish(v.string()) });
const THEIRS = /^whereabouts\.cni\.cncf\.io\//;

const KINDS = {
  IPPool: {
    apiVersions: THEIRS,
    schema: v.looseObject({
      metadata: named,
      spec: v.looseObject({
        range: v.string(),
        allocations: v.nullish(v.record(v.string(), owner)),
      }),
    }),
  },
  OverlappingRangeIPReservation: {
    apiVersions: THEIRS,
    schema: v.looseObject({ metadata: named, spec: owner }),
  },
  Pod: {
    apiVersions: /^v1$/,
    schema: v.looseObject({
      metadata: named,
      spec: v.looseObject({ nodeName: v.nullish(v.string()) }),
    }),
  },
};

/** An address that a dump tells of. */
interface Taken {
  readonly address: Address;
  readonly owner: v.InferOutput<typeof owner>;
  readonly where: string;
}

/**
 * Returns the desired state of what whereabouts allocated and reserved, in existing pools. An address is at the node of its pod;
 * without the pod in the dump it is at the virtual host `whereabouts`. Errors: objects that differ from whereabouts' format.
 *
 * @param network the name of the network of `plat-cni`, which then releases what has a container and a node
 */
export async function desiredFromWhereabouts(
  client: PlatClient,
  texts: ReadonlyMap<string, string>,
  network: string | undefined,
): Promise<Desired> {
  const { objects, notes } = objectsIn(texts, KINDS);
  const { IPPool: pools, OverlappingRangeIPReservation: reservations } = objects;
  const problems: string[] = [];
  const known = (read: Taken | string) => {
    if (typeof read !== "string") return [read];
    problems.push(read);
    return [];
  };
  const allocated = pools.flatMap(({ metadata, spec }) =>
    Object.entries(spec.allocations ?? {}).flatMap(([offset, owner]) =>
      known(allocationOf(`IPPool ${metadata.name}`, spec.range, offset, owner)),
    ),
  );
  const there = new Set(allocated.map(({ address }) => formatAddress(address)));
  const networks = networksOf(pools).toSorted((a, b) => b.length - a.length);
  const reserved = reservations
    .flatMap(({ metadata, spec }) => known(reservationOf(metadata.name, spec, networks)))
    // Each allocation has a reservation too, unless overlapping ranges are off.
    .filter(({ address }) => !there.has(formatAddress(address)));
  if (problems.length > 0) throw usageErrors(problems);
  const nodes = new Map<string, string>(
    objects.Pod.flatMap(({ metadata: { namespace, name }, spec }) =>
      spec.nodeName ? [[`${namespace}/${name}`, spec.nodeName]] : [],
    ),
  );
  const taken = [...allocated, ...reserved].toSorted((a, b) =>
    compareAddresses(a.address, b.address),
  );
  const entries = taken.map((one) => entryOf(one, nodes.get(one.owner.podref ?? ""), network));
  return desiredFromSystem(client, "whereabouts", entries, notes);
}

/** Returns the address of an allocation: the one of the range, as it is written, plus the offset. Or returns the error. */
function allocationOf(
  pool: string,
  range: string,
  offset: string,
  owner: Taken["owner"],
): Taken | string {
  const first = parseAddress(range.replace(/\/\d+$/, ""));
  if (!first.ok) return `${pool}: range "${range}" ${first.problem}`;
  if (!/^\d{1,39}$/.test(offset))
    return `${pool}: allocation "${offset}" must be a whole number: the distance from the start of the range`;
  const { family, value } = first.value;
  const address = { family, value: value + BigInt(offset) };
  const network = parseNetwork(range);
  if (network.ok && !contains(network.value, address))
    return `${pool}: allocation "${offset}" lies behind the end of the range ${range}`;
  return { address, owner, where: `${pool}, allocation ${offset}` };
}

/** Returns the names of networks, which stand before the range in the names of their pools. Behind it may stand a node. */
const networksOf = (pools: Objects<typeof KINDS>["IPPool"]): readonly string[] =>
  pools.flatMap(({ metadata: { name }, spec: { range } }) => {
    const at = `${name}-`.indexOf(`-${range.replace(/:$/, ":0").replaceAll(/[:/]/g, "-")}-`);
    return at > 0 ? [name.slice(0, at)] : [];
  });

/** An IPv4 address at the end of a name, by itself or behind a network. */
const IPV4_AT_END = /(?:^|-)(\d+\.\d+\.\d+\.\d+)$/;

/**
 * Reads the address in the name of a reservation, or returns the error. The name of a network may stand before it, and an IPv6
 * address has `-` in place of `:`. Only the pools tell where the network ends before an IPv6 address.
 */
function reservationOf(
  name: string,
  owner: Taken["owner"],
  networks: readonly string[],
): Taken | string {
  const where = `OverlappingRangeIPReservation ${name}`;
  const network = networks.find((one) => name.startsWith(`${one}-`));
  const text = network === undefined ? name : name.slice(network.length + 1);
  const read = parseAddress(IPV4_AT_END.exec(name)?.[1] ?? text.replaceAll("-", ":"));
  if (read.ok) return { address: read.value, owner, where };
  return `${where}: its name has no address behind that of a network whose IPPool is in the dump`;
}

function entryOf(
  { address, owner, where }: Taken,
  node: string | undefined,
  network: string | undefined,
): ForeignAddress {
  const { podref, ifname } = owner;
  const containerId = owner.id || owner.containerid || undefined;
  const [namespace, pod] = podref?.split("/") ?? [];
  const isAttachment = network !== undefined && node !== undefined && containerId && ifname;
  return {
    address,
    handle: isAttachment
      ? handleOfAttachment(network, node, { containerId, ifName: ifname })
      : `whereabouts/${formatAddress(address)}`,
    machine: node,
    attributes: { network, containerId, ifName: ifname, namespace, pod },
    where,
  };
}
