import * as v from "valibot";
import { networkName } from "../api/schema/field.ts";
import { type Address, FAMILIES, type Family, formatAddress } from "../net/address.ts";
import { parsePlainAddress } from "../net/plain-form.ts";
import { textOfAttachment } from "../nouns/address/attachment.ts";
import type { assignBody } from "../nouns/address/contract/assign-request.ts";
import { type Attachment, attributesOf, handleOf, workloadOf } from "./attachment.ts";
import { CniError, CODE } from "./error.ts";

type Body = v.InferInput<typeof assignBody>;

/** A request that Plat can repeat without a second address: by its key, its instance or the limit of its handle. */
export interface AssignRequest {
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
export function assignRequests(attachment: Attachment): readonly AssignRequest[] {
  const parts = partsOf(attachment);
  const [part, ...others] = parts;
  const workload = workloadOf(attachment);
  if (!workload) {
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
    body: { ...shared(attachment), workload: named, ...wantedOf(each) },
    afterDel: [],
  }));
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

/** Returns the fields of a request that say what a part asks for. */
function wantedOf({ specific, counts }: Pick<Part, "specific" | "counts">) {
  const [address, ...others] = specific.map(formatAddress);
  if (address === undefined) return { ipv4: counts[4] ?? 0, ipv6: counts[6] ?? 0 };
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

function shared(attachment: Attachment) {
  const { network, host, container } = attachment;
  const { pools, ipv4Pools, ipv6Pools, network: named } = network.ipam;
  const { defaultPools, ipv4DefaultPools, ipv6DefaultPools } = network.ipam;
  // A name that Plat does not accept matches no condition of a pool anyway.
  const byName = v.safeParse(networkName, network.name).success ? network.name : undefined;
  const condition = named ?? byName;
  return {
    host,
    attributes: attributesOf(attachment),
    ...(container.pod && { namespace: container.pod.namespace }),
    ...(condition !== undefined && { network: condition }),
    ...{ pools, ipv4Pools, ipv6Pools },
    ...{ defaultPools, ipv4DefaultPools, ipv6DefaultPools },
  };
}
