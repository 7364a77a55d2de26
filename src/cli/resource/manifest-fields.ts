import type * as v from "valibot";
import type {
  labelledRead,
  namespaceRead,
  poolRead,
  reservationRead,
} from "../../contract/answers/answers.ts";

type Pool = v.InferOutput<typeof poolRead>;

/** The fields of an object that its operator sets: without its name, and without what Plat says of its state. */
type FieldsOf<Read> = Exclude<keyof Read, "name" | "state" | "job">;

/** For each field the kinds of manifests that have a word for it. A field that is missing here is a type error. */
type Said<Read, Kind extends string> = Readonly<Record<FieldsOf<Read>, readonly Kind[]>>;

const SPIDERPOOL = ["SpiderIPPool", "SpiderSubnet"] as const;
const WITH_CONDITIONS = ["IPPool", "SpiderIPPool"] as const;
const EVERY = ["IPPool", ...SPIDERPOOL, "CiliumPodIPPool"] as const;

type PoolManifest = (typeof EVERY)[number];

const SAID_OF_POOL = {
  cidr: EVERY,
  // None of them names it, and each means one of the two.
  assign: EVERY,
  parent: [],
  blockSize: ["IPPool", "CiliumPodIPPool"],
  disabled: WITH_CONDITIONS,
  // In Cilium a node requests prefixes of a pool by its name, so a new pool is Manual.
  assignmentMode: ["IPPool", ...SPIDERPOOL],
  allowedUses: ["IPPool"],
  nodeSelector: WITH_CONDITIONS,
  namespaceSelector: WITH_CONDITIONS,
  podSelector: ["SpiderIPPool"],
  nodeNames: ["SpiderIPPool"],
  namespaceNames: ["SpiderIPPool"],
  networks: ["SpiderIPPool"],
  principals: [],
  borrowing: [],
  cooldownSeconds: [],
  ranges: SPIDERPOOL,
  excludes: SPIDERPOOL,
  kind: [],
  prefixLength: [],
  gateway: SPIDERPOOL,
  routes: SPIDERPOOL,
  dns: [],
  domain: [],
  vlan: SPIDERPOOL,
  mtu: [],
  labels: [],
  routing: ["IPPool"],
} as const satisfies Said<Pool, PoolManifest>;

const SAID_OF_RESERVATION = {
  cidrs: ["IPReservation", "SpiderReservedIP"],
  reason: [],
} as const satisfies Said<
  v.InferOutput<typeof reservationRead>,
  "IPReservation" | "SpiderReservedIP"
>;

const SAID_OF_NODE = { labels: ["Node"] } as const satisfies Said<
  v.InferOutput<typeof labelledRead>,
  "Node"
>;

const SAID_OF_NAMESPACE = {
  labels: ["Namespace"],
  // By its annotations.
  defaultPools: ["Namespace"],
  ipv4DefaultPools: ["Namespace"],
  ipv6DefaultPools: ["Namespace"],
} as const satisfies Said<v.InferOutput<typeof namespaceRead>, "Namespace">;

/** Returns the fields for which a kind of manifest has no word, in the order of the alphabet. */
const unsaidIn =
  <Kind extends string, Field extends string>(said: Readonly<Record<Field, readonly Kind[]>>) =>
  (kind: Kind): readonly Field[] =>
    (Object.keys(said) as Field[]).filter((field) => !said[field].includes(kind)).sort();

export const unsaidOfPool = unsaidIn<PoolManifest, FieldsOf<Pool>>(SAID_OF_POOL);
export const unsaidOfReservation = unsaidIn<
  "IPReservation" | "SpiderReservedIP",
  keyof typeof SAID_OF_RESERVATION
>(SAID_OF_RESERVATION);
export const unsaidOfNode = unsaidIn<"Node", "labels">(SAID_OF_NODE);
export const unsaidOfNamespace = unsaidIn<"Namespace", keyof typeof SAID_OF_NAMESPACE>(
  SAID_OF_NAMESPACE,
);

/** The fields of a pool that Calico's IPPool does not have. An import and an apply of IPPools leave them as they are. */
export const PLAT_FIELDS = unsaidOfPool("IPPool");

/** Returns the fields of a pool that an IPPool loses. `borrowing: allowed` and `kind: pods` are what Calico does. */
export const lostFields = (pool: Pool): readonly string[] =>
  PLAT_FIELDS.filter(
    (field) =>
      pool[field] !== undefined &&
      !(field === "borrowing" && pool.borrowing === "allowed") &&
      !(field === "kind" && pool.kind === "pods"),
  );
