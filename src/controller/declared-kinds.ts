import * as v from "valibot";
import { API_VERSIONS, type ManifestKind } from "../api/manifest.ts";
import { checked } from "../api/schema/schema.ts";
import { UNSAID_OF_RESERVATION, unsaidOfPool } from "../contract/manifest-fields.ts";
import { poolFieldsOf } from "../nouns/pool/contract/answer.ts";
import { readManifest } from "../nouns/pool/contract/calico-ippool.ts";
import type { PoolDocument } from "../nouns/pool/contract/request.ts";
import {
  applicationOfPool,
  readSpiderIpPool,
  SPIDER_IPPOOL,
  SPIDER_PREFIX,
} from "../nouns/pool/contract/spider-ippool.ts";
import { readSpiderSubnet, SPIDER_SUBNET } from "../nouns/pool/contract/spider-subnet.ts";
import { reservedBy } from "../nouns/reservation/contract/calico-ipreservation.ts";
import {
  readReservedIp,
  SPIDER_RESERVED_IP,
} from "../nouns/reservation/contract/spider-reserved-ip.ts";
import { type Noun, POOLS, RESERVATIONS } from "./declared-nouns.ts";
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

/** A kind of manifest that declares pools or reservations of Plat. */
export interface DeclaredKind extends ManifestKind {
  /** The name of its collection. */
  readonly resource: string;
  readonly noun: Noun;
  /** Returns what a manifest says; nothing if it declares nothing. Errors: an invalid manifest. */
  readonly read: (manifest: object) => Said | undefined;
  /** Fields for which the manifest has no word, so that they stay as they are in Plat. */
  readonly unsaid: readonly string[];
  /** Returns true for an object that a controller of the cluster made for itself. */
  readonly isMade: (object: DeclaredObject) => boolean;
}

const poolIn =
  (read: (manifest: unknown) => PoolDocument): DeclaredKind["read"] =>
  (manifest) => ({ fields: poolFieldsOf(read(manifest).spec), skipped: [] });

const byPeople = () => false;

const ipReservation = v.looseObject({
  spec: v.optional(v.looseObject({ reservedCIDRs: v.optional(v.array(v.string()), []) }), {}),
});

/** The kinds of Calico. */
export const CALICO_KINDS: readonly DeclaredKind[] = [
  {
    kind: "IPPool",
    apiVersions: API_VERSIONS,
    resource: "ippools",
    noun: POOLS,
    read: poolIn(readManifest),
    unsaid: unsaidOfPool("IPPool"),
    isMade: byPeople,
  },
  {
    kind: "IPReservation",
    apiVersions: API_VERSIONS,
    resource: "ipreservations",
    noun: RESERVATIONS,
    read: (manifest) => {
      const { cidrs, skipped } = reservedBy(checked(ipReservation, manifest).spec.reservedCIDRs);
      return cidrs.length > 0 || skipped.length > 0 ? { fields: { cidrs }, skipped } : undefined;
    },
    unsaid: UNSAID_OF_RESERVATION,
    isMade: byPeople,
  },
];

/** The kinds of Spiderpool. */
export const SPIDERPOOL_KINDS: readonly DeclaredKind[] = [
  {
    ...SPIDER_SUBNET,
    resource: "spidersubnets",
    noun: POOLS,
    read: poolIn(readSpiderSubnet),
    // It cannot say that it is disabled, so a pool that is disabled is enabled again when its manifest returns.
    unsaid: unsaidOfPool("SpiderSubnet").filter((field) => field !== "disabled"),
    isMade: byPeople,
  },
  {
    ...SPIDER_IPPOOL,
    resource: "spiderippools",
    noun: POOLS,
    read: poolIn(readSpiderIpPool),
    unsaid: unsaidOfPool("SpiderIPPool"),
    // The applications of Plat have their addresses without such pools.
    isMade: ({ metadata }) => applicationOfPool(metadata) !== undefined,
  },
  {
    ...SPIDER_RESERVED_IP,
    resource: "spiderreservedips",
    noun: RESERVATIONS,
    read: (manifest) => ({ fields: { cidrs: readReservedIp(manifest).spec.cidrs }, skipped: [] }),
    unsaid: UNSAID_OF_RESERVATION,
    isMade: byPeople,
  },
];

/** Returns what is kept of a manifest: no status, which can have half a megabyte, and no metadata of other programs. */
export function keptManifest({ metadata, spec }: DeclaredObject): DeclaredObject {
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
