import * as v from "valibot";
import type { assignBody } from "../contract/requests/assign.ts";
import { networkName } from "../contract/schema/field.ts";
import { type Address, FAMILIES, type Family, formatAddress } from "../domain/address.ts";
import { parsePlainAddress } from "../domain/plain-form.ts";
import { type Attachment, attributesOf, handleOf, textOf, workloadOf } from "./attachment.ts";
import { CniError, CODE } from "./error.ts";

/** A request that Plat can repeat without a second address: by its key, its instance or the limit of its handle. */
export interface AssignRequest {
  readonly body: v.InferInput<typeof assignBody>;
  /** The `Idempotency-Key`; none beside an instance or a limit. */
  readonly key?: string;
}

/**
 * Returns the assign requests of an ADD: one for each specific address, and one for the others. Each has a key of the
 * network, the container and the interface. @throws {CniError}
 */
export function assignRequests(attachment: Attachment): readonly AssignRequest[] {
  const parts = partsOf(attachment);
  const workload = workloadOf(attachment);
  if (!workload) {
    const handle = handleOf(attachment);
    return parts.map(({ wanted, suffix }) => ({
      body: { ...shared(attachment), handle, ...wanted },
      key: `${attachment.network.name}/${textOf(attachment.container)}${suffix}`,
    }));
  }
  if (parts.length > 1)
    throw new CniError(
      CODE.invalidConfiguration,
      "With ipam.keep a pod gets one specific address, or addresses of Plat's choice, not both.",
    );
  const { namespace: _, ...named } = workload;
  return parts.map(({ wanted }) => ({
    body: { ...shared(attachment), workload: named, ...wanted },
  }));
}

/**
 * Returns the requests of an ADD after Plat has released what the keys gave: a runtime may attach a container again
 * after a DEL. A limit of the handle takes the part of the key, so that no repeat takes a second address. A limit counts
 * by family, so each family is a request.
 */
export function limitedRequests(attachment: Attachment): readonly AssignRequest[] {
  const parts = partsOf(attachment);
  const counted = (family: Family) =>
    parts.reduce((sum, { counts }) => sum + (counts[family] ?? 0), 0);
  const bodies = parts.flatMap(({ wanted, counts }) =>
    FAMILIES.filter((family) => (counts[family] ?? 0) > 0).map((family) => ({
      ...("address" in wanted ? wanted : { [`ipv${family}`]: counts[family] }),
      limitPerHandle: counted(family),
    })),
  );
  const handle = handleOf(attachment);
  return bodies.map((body) => ({ body: { ...shared(attachment), handle, ...body } }));
}

/** A part of what an ADD asks for. */
interface Part {
  readonly wanted: { readonly address: string } | { readonly ipv4: number; readonly ipv6: number };
  readonly counts: Readonly<Partial<Record<Family, number>>>;
  /** The end of its key. */
  readonly suffix: string;
}

/** A specific address takes the place of one that Plat chooses. */
function partsOf({ network }: Attachment): readonly Part[] {
  const specific = network.ips.map(addressOf);
  const left = (family: Family, count: number) =>
    Math.max(0, count - specific.filter((one) => one.family === family).length);
  const [ipv4, ipv6] = [left(4, network.ipam.ipv4), left(6, network.ipam.ipv6)];
  const parts: readonly Part[] = [
    ...specific.map((one) => ({
      wanted: { address: formatAddress(one) },
      counts: { [one.family]: 1 },
      suffix: `/${formatAddress(one)}`,
    })),
    ...(ipv4 + ipv6 > 0
      ? [{ wanted: { ipv4, ipv6 }, counts: { 4: ipv4, 6: ipv6 }, suffix: "" }]
      : []),
  ];
  if (parts.length > 0) return parts;
  throw new CniError(
    CODE.invalidConfiguration,
    "ipam.ipv4 is 0 and so is ipam.ipv6; set one of them above 0.",
  );
}

/** Parses an address as the capability `ips` has it. The pool says the prefix length, so one in the text is ignored. */
function addressOf(text: string): Address {
  const read = parsePlainAddress(text.replace(/\/\d{1,3}$/, ""));
  if (read.ok) return read.value;
  throw new CniError(
    CODE.invalidConfiguration,
    `runtimeConfig.ips has ${JSON.stringify(text)}, which ${read.problem}.`,
  );
}

function shared(attachment: Attachment) {
  const { network, host, container } = attachment;
  const { pools, ipv4Pools, ipv6Pools, defaultPools, network: named } = network.ipam;
  // A name that Plat does not accept matches no condition of a pool anyway.
  const byName = v.safeParse(networkName, network.name).success ? network.name : undefined;
  const condition = named ?? byName;
  return {
    host,
    attributes: attributesOf(attachment),
    ...(container.pod && { namespace: container.pod.namespace }),
    ...(condition !== undefined && { network: condition }),
    ...{ pools, ipv4Pools, ipv6Pools, defaultPools },
  };
}
