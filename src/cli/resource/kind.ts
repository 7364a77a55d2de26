import { API_VERSIONS as CALICO_VERSIONS, type ManifestKind } from "../../api/manifest.ts";
import { NAMED_PER_PAGE_MAX } from "../../api/query.ts";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { APPLICATIONS_PER_PAGE_MAX, LABELLED_PER_PAGE_MAX } from "../../base/limits.ts";
import { type Path, path } from "../../client/index.ts";
import {
  UNSAID_OF_NAMESPACE,
  UNSAID_OF_NODE,
  UNSAID_OF_RESERVATION,
  unsaidOfPool,
} from "../../contract/manifest-fields.ts";
import {
  CILIUM_POD_IP_POOL,
  parseCiliumPodIpPool,
} from "../../nouns/cilium/contract/pod-ip-pool.ts";
import { poolNameOf } from "../../nouns/cilium/object.ts";
import { poolFieldsOf } from "../../nouns/pool/contract/answer.ts";
import { parseIpPool } from "../../nouns/pool/contract/calico-ippool.ts";
import { type PoolDocument, parsePool } from "../../nouns/pool/contract/request.ts";
import { parseSpiderIpPool, SPIDER_IPPOOL } from "../../nouns/pool/contract/spider-ippool.ts";
import { parseSpiderSubnet, SPIDER_SUBNET } from "../../nouns/pool/contract/spider-subnet.ts";
import { NAMESPACE_MANIFEST, NODE_MANIFEST } from "../../nouns/registry/contract/request.ts";
import { SPIDER_RESERVED_IP } from "../../nouns/reservation/contract/spider-reserved-ip.ts";
import { usageError } from "../shell/exit.ts";

/** A kind of named resource that operators define: its path in the API, and its manifests. */
export interface ResourceKind {
  /** The name of one object in the command: `pool`. */
  readonly noun: string;
  /** A name for the examples in the help. */
  readonly sample: string;
  /** The prefix of a name, as kubectl prints it: `ippool/web`. */
  readonly title: string;
  /** The plural of the name, in paths and lists of the API. */
  readonly plural: string;
  /** The page size: the maximum. */
  readonly perPage: number;
  readonly manifests: readonly ManifestForm[];
  readonly sets: readonly SetForm[];
  /** The fields that make the name, with slashes between them; absent: `name` alone. */
  readonly nameFields?: readonly string[];
}

/** A manifest that describes such a resource. */
interface ManifestForm extends ManifestKind {
  /** Returns the body of a PUT for a manifest. */
  readonly bodyOf: (manifest: Manifest) => object;
  /** Fields that the manifest cannot contain; `apply` does not change them. */
  readonly unsaid: readonly string[];
}

/** A manifest that describes a set of such resources: all those that it does not have are to be deleted. */
export interface SetForm extends ManifestKind {
  /** Returns the resources of a manifest, each with the body of its PUT. Errors: an invalid manifest. */
  readonly membersOf: (
    manifest: Manifest,
  ) => readonly { readonly name: string; readonly body: object }[];
  /** Returns true if a resource, as the API returns it, is of the set with that name. */
  readonly isMember: (set: string, resource: Readonly<Record<string, unknown>>) => boolean;
  /** Fields that the manifest cannot contain; `apply` does not change them. */
  readonly unsaid: readonly string[];
}

/** A document with its kind, as in kubectl. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: unknown;
    readonly annotations?: unknown;
  };
  readonly spec?: unknown;
}

/** Returns the manifest for the API to parse, without the fields that a cluster adds. */
const asItIs = ({ apiVersion, kind, metadata: { name }, spec }: Manifest) => ({
  apiVersion,
  kind,
  metadata: { name },
  spec,
});

/**
 * Returns the body of a PUT for a manifest of a pool: all its fields, also those that have their defaults. The API gets an invalid
 * manifest as it is, and says what is wrong with it.
 */
const poolOf =
  (read: (manifest: unknown) => PoolDocument): ManifestForm["bodyOf"] =>
  (manifest) => {
    const sent = asItIs(manifest);
    return wholePool(() => read(sent)) ?? sent;
  };

function wholePool(read: () => PoolDocument) {
  const document = orProblem(read);
  return document instanceof Problem ? undefined : poolFieldsOf(document.spec);
}

const labelsIn = ({ metadata: { labels = {} } }: Manifest) => ({ labels });

/** Returns the manifest for the API to parse, with the annotations that have the default pools. */
const registeredIn = ({ apiVersion, kind, metadata }: Manifest) => {
  const { name, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, labels, annotations } };
};

export const POOL_RESOURCE: ResourceKind = {
  noun: "pool",
  sample: "default-ipv4",
  title: "ippool",
  plural: "pools",
  perPage: NAMED_PER_PAGE_MAX,
  manifests: [
    {
      kind: "IPPool",
      apiVersions: CALICO_VERSIONS,
      bodyOf: poolOf(parseIpPool),
      unsaid: unsaidOfPool("IPPool"),
    },
    {
      ...SPIDER_IPPOOL,
      bodyOf: poolOf(parseSpiderIpPool),
      unsaid: unsaidOfPool("SpiderIPPool"),
    },
    {
      ...SPIDER_SUBNET,
      bodyOf: poolOf(parseSpiderSubnet),
      unsaid: unsaidOfPool("SpiderSubnet"),
    },
  ],
  sets: [
    {
      ...CILIUM_POD_IP_POOL,
      membersOf: prefixPools,
      isMember: (set, { name, cidr, assign }) =>
        assign === "prefixes" && name === poolNameOf(set, String(cidr)),
      unsaid: unsaidOfPool("CiliumPodIPPool"),
    },
  ],
};

export const RESERVATION_RESOURCE: ResourceKind = {
  noun: "reservation",
  sample: "gateways",
  title: "ipreservation",
  plural: "reservations",
  perPage: NAMED_PER_PAGE_MAX,
  manifests: [
    {
      kind: "IPReservation",
      apiVersions: CALICO_VERSIONS,
      bodyOf: ({ metadata: { name }, spec }) => ({ cidrs: reservedCidrs(name, spec) }),
      unsaid: UNSAID_OF_RESERVATION,
    },
    {
      ...SPIDER_RESERVED_IP,
      bodyOf: asItIs,
      unsaid: UNSAID_OF_RESERVATION,
    },
  ],
  sets: [],
};

export const NODE_RESOURCE: ResourceKind = {
  noun: "node",
  sample: "node-1",
  title: "node",
  plural: "nodes",
  perPage: LABELLED_PER_PAGE_MAX,
  manifests: [{ ...NODE_MANIFEST, bodyOf: labelsIn, unsaid: UNSAID_OF_NODE }],
  sets: [],
};

export const NAMESPACE_RESOURCE: ResourceKind = {
  ...NODE_RESOURCE,
  noun: "namespace",
  sample: "shop",
  title: "namespace",
  plural: "namespaces",
  manifests: [{ ...NAMESPACE_MANIFEST, bodyOf: registeredIn, unsaid: UNSAID_OF_NAMESPACE }],
};

/** A workload. Its name has its namespace and its kind. */
export const APPLICATION_RESOURCE: ResourceKind = {
  noun: "application",
  sample: "shop/Deployment/web",
  title: "application",
  plural: "applications",
  perPage: APPLICATIONS_PER_PAGE_MAX,
  manifests: [],
  sets: [],
  nameFields: ["namespace", "kind", "name"],
};

export const QUOTA_RESOURCE: ResourceKind = {
  noun: "quota",
  sample: "red",
  title: "quota",
  plural: "quotas",
  perPage: NAMED_PER_PAGE_MAX,
  manifests: [],
  sets: [],
};

export const KINDS = [POOL_RESOURCE, RESERVATION_RESOURCE, NODE_RESOURCE, NAMESPACE_RESOURCE];

export const listPath = ({ plural }: Pick<ResourceKind, "plural">): Path => path`/v1/${plural}`;

/** Returns the path of an object. Errors: a name that lacks a part, such as `web` for an application. */
export function pathOfObject(
  {
    noun,
    plural,
    sample,
    nameFields,
  }: Pick<ResourceKind, "noun" | "plural" | "sample" | "nameFields">,
  name: string,
): Path {
  if (!nameFields) return path`/v1/${plural}/${name}`;
  const [namespace = "", kind = "", own = "", ...more] = name.split("/");
  if (more.length > 0 || [namespace, kind, own].includes(""))
    throw usageError(`${JSON.stringify(name)} is no name of an ${noun}; write it as ${sample}.`);
  return path`/v1/${plural}/${namespace}/${kind}/${own}`;
}

/** Returns the name in a document of the API; nothing if a part of it is missing. */
export function nameInDocument(
  { nameFields = ["name"] }: Pick<ResourceKind, "nameFields">,
  document: Readonly<Record<string, unknown>>,
): string | undefined {
  const parts = nameFields.map((field) => document[field]);
  return parts.every((part) => typeof part === "string" && part !== "")
    ? parts.join("/")
    : undefined;
}

/** Returns a title such as `ippool/web`. */
export const titled = ({ title }: ResourceKind, name: string): string => `${title}/${name}`;

/**
 * Returns a pool of prefixes for each network of Cilium's pool. It is Manual: in Cilium, a node has of a pool what it requests by the
 * name of the pool.
 */
function prefixPools(manifest: Manifest): ReturnType<SetForm["membersOf"]> {
  const { name } = manifest.metadata;
  const networks = orProblem(() => parseCiliumPodIpPool(manifest));
  if (networks instanceof Problem)
    throw usageError(`${CILIUM_POD_IP_POOL.kind} ${name}: ${networks.detail}`);
  return networks.map(({ cidr, maskSize }) => {
    const body = { cidr, assign: "prefixes", blockSize: maskSize, assignmentMode: "Manual" };
    return { name: poolNameOf(name, cidr), body: wholePool(() => parsePool(body)) ?? body };
  });
}

/** Reads the CIDRs of Calico's IPReservation; the API rejects an invalid list with its own message. */
function reservedCidrs(name: string, spec: unknown): unknown {
  const { reservedCIDRs, ...more } = (spec ?? {}) as { readonly reservedCIDRs?: unknown };
  const unknown = Object.keys(more);
  if (unknown.length === 0) return reservedCIDRs ?? [];
  throw usageError(
    `The IPReservation ${name} has spec.${unknown.join(", spec.")}; known is reservedCIDRs.`,
  );
}
