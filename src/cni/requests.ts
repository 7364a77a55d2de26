import * as v from "valibot";
import { networkName } from "../api/schema/field.ts";
import { isRecord } from "../api/schema/schema.ts";
import { type Address, FAMILIES, type Family, formatAddress } from "../net/address.ts";
import { parsePlainAddress } from "../net/plain-form.ts";
import { textOfAttachment } from "../nouns/address/attachment.ts";
import type { assignBody } from "../nouns/address/contract/assign-request.ts";
import { isKeptKind } from "../nouns/application/workload.ts";
import { isPlural, POOL_ANNOTATIONS } from "../selection/spiderpool-annotations.ts";
import {
  type Attachment,
  attachmentAttributesOf,
  handleOf,
  instanceOfAttachment,
  namespaceOf,
} from "./attachment.ts";
import { CniError, CODE } from "./error.ts";

type Body = v.InferInput<typeof assignBody>;

/** A request that Plat can repeat without a second address: by its key, its instance or the limit of its handle. */
export interface RepeatableAssign {
  readonly body: Body;
  /** The `Idempotency-Key`; none beside an instance or a limit. */
  readonly key?: string;
  /** The bodies in its place after Plat has released what the key gave: a runtime may attach a container again after a DEL. */
  readonly afterDel: readonly Body[];
}

/**
 * Returns the assign requests of an ADD: one for the specific addresses if they are one of each family, else one for each; and one
 * for the others. A single one has a key of the network,
 * the container and the interface. Several have limits: an address under a key counts in no limit, so an ADD has keys or limits.
 * @throws {CniError}
 */
export function assignRequests(attachment: Attachment): readonly RepeatableAssign[] {
  const parts = partsOf(attachment);
  const [part, ...others] = parts;
  const workload = instanceOfAttachment(attachment);
  const isKept = workload && attachment.network.ipam.keep && isKeptKind(workload);
  if (!workload || (others.length > 0 && !isKept)) {
    const limited = limitedBodies(attachment, parts);
    if (!part || others.length > 0) return limited.map((body) => ({ body, afterDel: [] }));
    const body = { ...shared(attachment), handle: handleOf(attachment), ...wantedOf(part) };
    const { name } = attachment.network;
    const key = `${name}/${textOfAttachment(attachment.container)}${part.suffix}`;
    return [{ body, key, afterDel: limited }];
  }
  if (others.length > 0)
    throw new CniError(
      CODE.invalidConfiguration,
      "With ipam.keep a pod gets one specific address, or addresses of Plat's choice, not both.",
    );
  const { namespace: _, ...named } = workload;
  return parts.map((each) => ({
    body: { ...ofInstance(attachment, each), workload: named },
    afterDel: [],
  }));
}

/**
 * Returns the request of an instance for a part. Where annotations choose its pools it names its interface, because an
 * application has addresses for each interface of its pods.
 */
function ofInstance(attachment: Attachment, part: Part): Body {
  const annotations = annotationsOf(attachment);
  if (!annotations || part.specific.length > 0) return { ...shared(attachment), ...wantedOf(part) };
  const network = conditionOf(attachment);
  const asked = {
    name: attachment.container.ifName,
    ...countsOf(part),
    ...(network !== undefined && { network }),
  };
  return { ...askerOf(attachment), annotations, interfaces: [asked] };
}

/**
 * Returns requests with a limit of the handle, which takes the part of a key: no repeat takes a second address. A limit counts by
 * family, so each family is a request.
 */
function limitedBodies(attachment: Attachment, parts: readonly Part[]): readonly Body[] {
  const named = { ...shared(attachment), handle: handleOf(attachment) };
  const most = (family: Family) =>
    parts.reduce((sum, { counts }) => sum + (counts[family] ?? 0), 0);
  return parts.flatMap(({ specific, counts }) =>
    FAMILIES.filter((family) => (counts[family] ?? 0) > 0).map((family) => ({
      ...named,
      // What a handle has counts in its limit, and is in the answer: the specific addresses too.
      ...(specific.length > 0
        ? wantedOf({ specific: specific.filter((one) => one.family === family), counts })
        : { [`ipv${family}`]: most(family) }),
      limitPerHandle: most(family),
    })),
  );
}

/** A part of what an ADD asks for. */
interface Part {
  /** The addresses that it asks for, at most one of a family; none if Plat chooses. */
  readonly specific: readonly Address[];
  readonly counts: Readonly<Partial<Record<Family, number>>>;
  /** The end of its key. */
  readonly suffix: string;
}

const countsOf = ({ counts }: Pick<Part, "counts">) => ({
  ipv4: counts[4] ?? 0,
  ipv6: counts[6] ?? 0,
});

/** Returns the fields of a request that say what a part asks for. */
function wantedOf(part: Pick<Part, "specific" | "counts">) {
  const [address, ...others] = part.specific.map(formatAddress);
  if (address === undefined) return countsOf(part);
  return others.length > 0 ? { addresses: [address, ...others] } : { address };
}

/** A specific address takes the place of one that Plat chooses. */
function partsOf(attachment: Attachment): readonly Part[] {
  const { network } = attachment;
  const specific = specificAddresses(attachment);
  const left = (family: Family, count: number) =>
    Math.max(0, count - specific.filter((one) => one.family === family).length);
  const [ipv4, ipv6] = [left(4, network.ipam.ipv4), left(6, network.ipam.ipv6)];
  const parts: readonly Part[] = [
    ...together(specific).map((some) => ({
      specific: some,
      counts: Object.fromEntries(some.map(({ family }) => [family, 1])),
      suffix: some.map((one) => `/${formatAddress(one)}`).join(""),
    })),
    ...(ipv4 + ipv6 > 0 ? [{ specific: [], counts: { 4: ipv4, 6: ipv6 }, suffix: "" }] : []),
  ];
  if (parts.length > 0) return parts;
  throw new CniError(
    CODE.invalidConfiguration,
    "ipam.ipv4 is 0 and so is ipam.ipv6; set one of them above 0.",
  );
}

/** Divides specific addresses into requests: one of each family fit into one. */
const together = (specific: readonly Address[]): readonly (readonly Address[])[] => {
  const isOneOfEach = new Set(specific.map(({ family }) => family)).size === specific.length;
  return isOneOfEach && specific.length > 0 ? [specific] : specific.map((one) => [one]);
};

/**
 * Returns the addresses that an ADD asks for, each once: those of `CNI_ARGS`, of `args` and of the capability `ips`, as `host-local`
 * reads them (`LoadIPAMConfig` in plugins/ipam/host-local/backend/allocator/config.go of the CNI plugins). @throws {CniError}
 */
export function specificAddresses({ network, container }: Attachment): readonly Address[] {
  const { invalidConfiguration, invalidEnvironment } = CODE;
  const asked = [
    ...(container.ip === undefined
      ? []
      : [addressOf(container.ip, "IP in CNI_ARGS", invalidEnvironment)]),
    ...network.argsIps.map((text) => addressOf(text, "args.cni.ips", invalidConfiguration)),
    ...network.ips.map((text) => addressOf(text, "runtimeConfig.ips", invalidConfiguration)),
  ];
  return [...new Map(asked.map((address) => [formatAddress(address), address])).values()];
}

/** Parses an address that is asked for. The pool says the prefix length, so one in the text is ignored. */
function addressOf(text: string, where: string, code: CniError["code"]): Address {
  const read = parsePlainAddress(text.replace(/\/\d{1,3}$/, ""));
  if (read.ok) return read.value;
  throw new CniError(code, `${where} has ${JSON.stringify(text)}, which ${read.problem}.`);
}

/** Returns the fields that are the same in every request of an attachment. */
function shared(attachment: Attachment) {
  const { pools, ipv4Pools, ipv6Pools, ...ipam } = attachment.network.ipam;
  const { defaultPools, ipv4DefaultPools, ipv6DefaultPools } = ipam;
  const network = conditionOf(attachment);
  const annotations = annotationsOf(attachment);
  return {
    ...askerOf(attachment),
    ...(network !== undefined && { network }),
    ...(annotations ? { annotations } : { pools, ipv4Pools, ipv6Pools }),
    ...{ defaultPools, ipv4DefaultPools, ipv6DefaultPools },
  };
}

/** Returns the fields that say who asks. */
function askerOf(attachment: Attachment) {
  const { host, seen } = attachment;
  const known = typeof seen === "object" ? seen : undefined;
  const namespace = namespaceOf(attachment);
  return {
    host,
    attributes: attachmentAttributesOf(attachment),
    ...(namespace !== undefined && { namespace }),
    ...(known && { labels: known.labels, namespaceLabels: known.namespaceLabels }),
  };
}

/** Returns what `networks` of pools are matched with; nothing for a name that Plat does not accept, because it matches none. */
function conditionOf({ network: { name, ipam } }: Attachment): string | undefined {
  return ipam.network ?? (v.safeParse(networkName, name).success ? name : undefined);
}

/**
 * Returns the annotation of a pod that chooses the pools of an interface; nothing if the network names its pools itself. Of
 * one with an item for each interface it has that of this interface alone, as the only one.
 *
 * @throws {CniError} if the annotation has none for this interface
 */
function annotationsOf({ network, container, seen }: Attachment) {
  const { pools, ipv4Pools, ipv6Pools } = network.ipam;
  if (typeof seen !== "object" || [pools, ipv4Pools, ipv6Pools].some(({ length }) => length > 0))
    return undefined;
  const key = POOL_ANNOTATIONS.find((one) => seen.annotations[one] !== undefined);
  if (key === undefined) return undefined;
  const text = seen.annotations[key] ?? "";
  const items = isPlural(key) ? itemsIn(text) : undefined;
  // Plat says best what is wrong with any other text.
  if (!items) return { [key]: text };
  const { ifName } = container;
  const named = items.filter((item) => item.interface !== undefined);
  const item =
    named.length > 0 ? named.find((one) => one.interface === ifName) : items[placeOf(ifName)];
  if (item) return { [key]: JSON.stringify([{ ...item, interface: undefined }]) };
  throw new CniError(
    CODE.invalidConfiguration,
    `The annotation ${key} of the pod has no item for the interface ${ifName}.`,
    `It is ${text}.`,
  );
}

/** Returns the items of an annotation; nothing if its text is no array of objects that all name their interface, or none does. */
function itemsIn(text: string): readonly Readonly<Record<string, unknown>>[] | undefined {
  let items: unknown;
  try {
    items = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(items) || items.length === 0 || !items.every(isRecord)) return undefined;
  const isNamed = (item: Readonly<Record<string, unknown>>) => item.interface !== undefined;
  return items.every(isNamed) || !items.some(isNamed) ? items : undefined;
}

/** Returns the place of an interface among those of a pod, as Multus names them: `eth0`, `net1`, `net2`. */
const placeOf = (ifName: string): number =>
  ifName === "eth0" ? 0 : Number(/^net([1-9]\d*)$/.exec(ifName)?.[1] ?? Number.NaN);
