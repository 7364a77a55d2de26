import type * as v from "valibot";
import type { ipPoolManifest } from "../nouns/pool/contract/calico-ippool.ts";
import { POOL, type ROUTING_FIELDS } from "../nouns/pool/contract/request.ts";
import type { spiderIpPoolManifest } from "../nouns/pool/contract/spider-ippool.ts";
import type { spiderSubnetManifest } from "../nouns/pool/contract/spider-subnet.ts";
import {
  NAMESPACE_FIELDS,
  NODE_FIELDS,
  type namespaceManifest,
} from "../nouns/registry/contract/request.ts";
import { RESERVATION } from "../nouns/reservation/contract/request.ts";
import type { poolRead } from "./answers.ts";

/*
 * The fields that each kind of manifest has a word for. The other fields of an object stay as they are when a manifest is
 * applied, so that a new field is safe before any manifest knows it.
 */

type Names<Field extends string> = Readonly<Record<Field, true>>;
type PoolField = keyof typeof POOL;
type OfPool<Field extends PoolField> = Names<Field>;
type SpecOf<Manifest extends v.GenericSchema> =
  v.InferOutput<Manifest> extends { readonly spec: infer Spec } ? keyof Spec : never;

/** No manifest of these names it, and each means addresses. */
type Assign = "assign";

/** A field that the manifest says and this list lacks, or the other way round, is a type error. */
const IP_POOL: OfPool<
  Exclude<SpecOf<typeof ipPoolManifest>, keyof typeof ROUTING_FIELDS> | "routing" | Assign
> = {
  cidr: true,
  assign: true,
  blockSize: true,
  disabled: true,
  assignmentMode: true,
  allowedUses: true,
  nodeSelector: true,
  namespaceSelector: true,
  routing: true,
};

const SPIDER_IPPOOL: OfPool<SpecOf<typeof spiderIpPoolManifest> | Assign> = {
  cidr: true,
  assign: true,
  disabled: true,
  assignmentMode: true,
  nodeSelector: true,
  namespaceSelector: true,
  podSelector: true,
  nodeNames: true,
  namespaceNames: true,
  networks: true,
  ranges: true,
  excludes: true,
  gateway: true,
  routes: true,
  vlan: true,
};

/** A SpiderSubnet is enabled by its kind, and cannot say it. */
const SPIDER_SUBNET: OfPool<Exclude<SpecOf<typeof spiderSubnetManifest>, "disabled"> | Assign> = {
  cidr: true,
  assign: true,
  assignmentMode: true,
  ranges: true,
  excludes: true,
  gateway: true,
  routes: true,
  vlan: true,
};

/** In Cilium a node requests prefixes of a pool by its name, so a new pool is Manual, which the manifest does not say. */
const CILIUM_POD_IP_POOL: OfPool<"cidr" | "assign" | "blockSize"> = {
  cidr: true,
  assign: true,
  blockSize: true,
};

const SAID = {
  IPPool: IP_POOL,
  SpiderIPPool: SPIDER_IPPOOL,
  SpiderSubnet: SPIDER_SUBNET,
  CiliumPodIPPool: CILIUM_POD_IP_POOL,
} satisfies Readonly<Record<string, Partial<Names<PoolField>>>>;

/** Returns the declared fields that are not said, in the order of the alphabet. */
const unsaid = <Field extends string>(
  declared: Readonly<Record<Field, unknown>>,
  said: Partial<Names<Field>>,
): readonly Field[] => (Object.keys(declared) as Field[]).filter((field) => !said[field]).sort();

/** Returns the fields of a pool for which a kind of manifest has no word. */
export const unsaidOfPool = (kind: keyof typeof SAID): readonly PoolField[] =>
  unsaid(POOL, SAID[kind]);

/** The fields of a reservation for which no manifest has a word. */
export const UNSAID_OF_RESERVATION = unsaid(RESERVATION, { cidrs: true });

/** The fields of a node for which its manifest has no word. */
export const UNSAID_OF_NODE = unsaid(NODE_FIELDS, { labels: true });

type Annotated = NonNullable<v.InferOutput<typeof namespaceManifest>["metadata"]["annotations"]>;

/** The annotations say that there is no list for both families. */
const NAMESPACE: Names<keyof Annotated | "labels" | "defaultPools"> = {
  labels: true,
  defaultPools: true,
  ipv4DefaultPools: true,
  ipv6DefaultPools: true,
};

/** The fields of a namespace for which its manifest has no word. */
export const UNSAID_OF_NAMESPACE = unsaid(NAMESPACE_FIELDS, NAMESPACE);

/**
 * Returns a body with the fields of an object that its manifest has no word for, as the object has them.
 *
 * @param seen the object; nothing if it is new
 */
export function keepingUnsaid(
  unsaid: readonly string[],
  body: object,
  seen: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  if (!seen) return { ...body };
  const said = Object.entries(body).filter(([field]) => !unsaid.includes(field));
  const kept = unsaid.filter((field) => seen[field] !== undefined);
  return Object.fromEntries([...said, ...kept.map((field) => [field, seen[field]])]);
}

/** The fields of a pool that Calico's IPPool does not have. An import and an apply of IPPools leave them as they are. */
export const PLAT_FIELDS = unsaidOfPool("IPPool");

/** Returns the fields of a pool that an IPPool loses. `borrowing: allowed` and `kind: pods` are what Calico does. */
export const lostFields = (pool: v.InferOutput<typeof poolRead>): readonly string[] =>
  PLAT_FIELDS.filter(
    (field) =>
      pool[field] !== undefined &&
      !(field === "borrowing" && pool.borrowing === "allowed") &&
      !(field === "kind" && pool.kind === "pods"),
  );
