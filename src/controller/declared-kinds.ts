import * as v from "valibot";
import { API_VERSIONS, type ManifestKind } from "../api/manifest.ts";
import { checked, isRecord } from "../api/schema/schema.ts";
import { same } from "../base/same.ts";
import {
  UNSAID_OF_NAMESPACE,
  UNSAID_OF_RESERVATION,
  unsaidOfPool,
} from "../contract/manifest-fields.ts";
import { poolFieldsOf } from "../nouns/pool/contract/answer.ts";
import { parseIpPool } from "../nouns/pool/contract/calico-ippool.ts";
import type { PoolDocument } from "../nouns/pool/contract/request.ts";
import {
  applicationOfPool,
  parseSpiderIpPool,
  SPIDER_IPPOOL,
  SPIDER_PREFIX,
} from "../nouns/pool/contract/spider-ippool.ts";
import { parseSpiderSubnet, SPIDER_SUBNET } from "../nouns/pool/contract/spider-subnet.ts";
import { namespaceOf } from "../nouns/registry/contract/answer.ts";
import { NAMESPACE_MANIFEST, parseNamespaceManifest } from "../nouns/registry/contract/request.ts";
import { calicoCidrs } from "../nouns/reservation/contract/calico-ipreservation.ts";
import {
  parseReservedIp,
  SPIDER_RESERVED_IP,
} from "../nouns/reservation/contract/spider-reserved-ip.ts";
import { NAMESPACES, type Noun, POOLS, RESERVATIONS } from "./declared-nouns.ts";
import type { KubeObject } from "./kube/reflector.ts";

type Texts = Readonly<Record<string, string>>;

/** A manifest in the cluster, as far as it declares something. */
export interface DeclaredObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: unknown;
}

/** The contents of a manifest: the fields of what it declares, and the parts that it declares in vain. */
interface Said {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly skipped: readonly string[];
}

/** A kind of manifest that declares something of Plat. */
export interface DeclaredKind extends ManifestKind {
  /** The name of its collection. */
  readonly resource: string;
  readonly noun: Noun;
  /** Returns what is kept of a manifest. */
  readonly keep: (object: DeclaredObject) => DeclaredObject;
  /** Returns false for an object that declares nothing, such as one that a controller of the cluster made for itself. */
  readonly declares: (object: DeclaredObject) => boolean;
  /** Returns what a manifest says. Errors: an invalid manifest. */
  readonly read: (manifest: object) => Said;
  /** Fields for which the manifest has no word, so that they stay as they are in Plat. */
  readonly unsaid: readonly string[];
  /** The time after which all that Plat has is compared with all manifests, because somebody may have changed it. */
  readonly compareMs: number;
}

const poolIn =
  (read: (manifest: unknown) => PoolDocument): DeclaredKind["read"] =>
  (manifest) => ({ fields: poolFieldsOf(read(manifest).spec), skipped: [] });

const always = () => true;

/** Pools and reservations are few, and a wrong one costs much. */
const POOLS_COMPARE_MS = 60_000;
export const MANY_COMPARE_MS = 5 * 60_000;

const declaring = { keep: keptManifest, declares: always, compareMs: POOLS_COMPARE_MS };

const reservedCidrs = v.optional(v.array(v.string()), []);
const ipReservation = v.looseObject({
  spec: v.optional(v.looseObject({ reservedCIDRs: reservedCidrs }), {}),
});

/** The kinds of Calico. */
export const CALICO_KINDS: readonly DeclaredKind[] = [
  {
    ...declaring,
    kind: "IPPool",
    apiVersions: API_VERSIONS,
    resource: "ippools",
    noun: POOLS,
    read: poolIn(parseIpPool),
    unsaid: unsaidOfPool("IPPool"),
  },
  {
    ...declaring,
    kind: "IPReservation",
    apiVersions: API_VERSIONS,
    resource: "ipreservations",
    noun: RESERVATIONS,
    declares: ({ spec }) => isRecord(spec) && !same(spec.reservedCIDRs ?? [], []),
    read: (manifest) => {
      const { cidrs, skipped } = calicoCidrs(checked(ipReservation, manifest).spec.reservedCIDRs);
      return { fields: { cidrs }, skipped };
    },
    unsaid: UNSAID_OF_RESERVATION,
  },
];

/** The kinds of Spiderpool that declare pools and reservations. */
export const SPIDERPOOL_KINDS: readonly DeclaredKind[] = [
  {
    ...declaring,
    ...SPIDER_SUBNET,
    resource: "spidersubnets",
    noun: POOLS,
    read: poolIn(parseSpiderSubnet),
    // It cannot say that it is disabled, so a pool that is disabled is enabled again when its manifest returns.
    unsaid: unsaidOfPool("SpiderSubnet").filter((field) => field !== "disabled"),
  },
  {
    ...declaring,
    ...SPIDER_IPPOOL,
    resource: "spiderippools",
    noun: POOLS,
    // Spiderpool makes some for applications. Those of Plat have their addresses without such pools.
    declares: ({ metadata }) => applicationOfPool(metadata) === undefined,
    read: poolIn(parseSpiderIpPool),
    unsaid: unsaidOfPool("SpiderIPPool"),
  },
  {
    ...declaring,
    ...SPIDER_RESERVED_IP,
    resource: "spiderreservedips",
    noun: RESERVATIONS,
    declares: ({ spec }) => isRecord(spec) && !same(spec.ips ?? [], []),
    read: (manifest) => ({ fields: { cidrs: parseReservedIp(manifest).spec.cidrs }, skipped: [] }),
    unsaid: UNSAID_OF_RESERVATION,
  },
];

/** The kind that declares labels and default pools of namespaces. */
export const NAMESPACE_KIND: DeclaredKind = {
  ...NAMESPACE_MANIFEST,
  resource: "namespaces",
  noun: NAMESPACES,
  keep: ({ metadata }) => {
    const { name, uid, resourceVersion, labels = {}, annotations = {} } = metadata;
    const own = { labels, annotations: ofSpiderpool(annotations) };
    return { metadata: { name, uid, resourceVersion, ...own } };
  },
  declares: always,
  read: (manifest) => {
    const { spec } = parseNamespaceManifest(manifest);
    const { name: _, ...fields } = namespaceOf({ space: "", name: "", revision: "", ...spec });
    return { fields, skipped: [] };
  },
  unsaid: UNSAID_OF_NAMESPACE,
  compareMs: MANY_COMPARE_MS,
};

/** Returns what is kept of a manifest: no status, which can have half a megabyte, and no metadata of other programs. */
function keptManifest({ metadata, spec }: DeclaredObject): DeclaredObject {
  const { name, uid, resourceVersion, deletionTimestamp, labels, annotations } = metadata;
  return {
    metadata: {
      ...{ name, uid, resourceVersion },
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(labels && { labels: ofSpiderpool(labels) }),
      ...(annotations && { annotations: ofSpiderpool(annotations) }),
    },
    spec,
  };
}

const ofSpiderpool = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => key.startsWith(`${SPIDER_PREFIX}/`)));
