import { createHash } from "node:crypto";
import * as v from "valibot";
import { resourceName } from "../api/schema/field.ts";
import { NAME_CHARACTERS_MAX } from "../base/limits.ts";
import { same } from "../base/same.ts";
import { type Answer, ApiError } from "../client/index.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { type KubeApi, KubeError } from "./kube/api.ts";
import { type KubeObject, keyOf, type OwnerReference, Reflector } from "./kube/reflector.ts";
import { Reporter } from "./kube/reporter.ts";
import { onceServed, servedOf } from "./kube/served.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { PartSurroundings } from "./surroundings.ts";
import { askedMs, GATHER_MS, WorkQueue } from "./work-queue.ts";

/** The group and the version of our kinds of pools. The CRDs are in the manifest. */
export const POOL_GROUP = "ipam.plat";
export const POOL_VERSION = "v1alpha1";
/** Our kinds of pools, each with its collection. The second has no namespace. */
export const POOL_COLLECTIONS = {
  PlatIPPool: "platippools",
  PlatGlobalIPPool: "platglobalippools",
} as const;
type PoolKind = keyof typeof POOL_COLLECTIONS;
const KINDS = Object.keys(POOL_COLLECTIONS) as readonly PoolKind[];

/** The group of claims and addresses, and that of the Clusters that they belong to. */
export const CLAIM_GROUP = "ipam.cluster.x-k8s.io";
export const CLUSTER_GROUP = "cluster.x-k8s.io";
/** The versions of Cluster API that this speaks, the best first. What it reads and writes is the same in both. */
export const VERSIONS = ["v1beta2", "v1beta1"];

const RELEASES_ADDRESS = `${CLAIM_GROUP}/ReleaseAddress`;
const PROTECTS_ADDRESS = `${CLAIM_GROUP}/ProtectAddress`;
const CLUSTER_NAME = `${CLUSTER_GROUP}/cluster-name`;
const PAUSED = `${CLUSTER_GROUP}/paused`;
/** The host of all claims, so that they share blocks. The machine of a claim has no name yet. */
const HOST = "cluster-api";

/** The digest at the end of a handle that would be too long. */
const DIGEST_CHARACTERS = 16;
const REQUESTS_AT_ONCE = 8;
/** Claims and pools in one round of work. */
const KEYS_PER_ROUND = 64;
/** The wait before a pool is read again: somebody may have changed the one of Plat. */
const POOL_AGAIN_MS = 5 * 60_000;
/** The wait for another try where only a change by somebody can help. */
const NO_ADDRESS_MS = 60_000;
const [NOT_FOUND, CONFLICT] = [404, 409];

/** The beginning of the key of a claim in the queue. That of a pool begins with its kind. */
const CLAIM = "claim ";
const POOLS = `${POOL_GROUP}/${POOL_VERSION}`;

type Assigned = Extract<Answer<"assign">, { handle: string }>["addresses"][number];
type Family = "ipv4" | "ipv6";
type Texts = Readonly<Record<string, string>>;

/** The lists in the metadata of an object that this changes. */
interface Lists {
  readonly finalizers: readonly string[];
  readonly ownerReferences: readonly OwnerReference[];
}

interface LabelledObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
    readonly deletionTimestamp?: string;
  };
}

/** A condition of an object. One with a message is valid in every version. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

interface PoolRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

interface ClaimObject extends LabelledObject {
  readonly spec: { readonly poolRef: PoolRef; readonly clusterName?: string };
  readonly status?: {
    readonly addressRef?: { readonly name: string };
    readonly conditions?: readonly Condition[];
  };
}

interface AddressObject extends LabelledObject {
  readonly spec: { readonly address: string; readonly poolRef: PoolRef };
}

interface PoolObject extends LabelledObject {
  readonly spec: { readonly pool: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface ClusterObject extends LabelledObject {
  readonly spec?: { readonly paused?: boolean };
}

/** The surroundings of the work on claims. */
export type ClusterApiOptions = PartSurroundings<"assign" | "releaseHandle" | "readPool">;

/** The collections that the work follows, in the versions that the API server has. */
interface Followed {
  readonly claims: Reflector<ClaimObject>;
  readonly addresses: Reflector<AddressObject>;
  readonly clusters: Reflector<ClusterObject>;
  readonly pools: Readonly<Record<PoolKind, Reflector<PoolObject>>>;
  /** The group of claims with its version, such as `ipam.cluster.x-k8s.io/v1beta2`. */
  readonly claimVersion: string;
  readonly reporter: Reporter;
}

/** The parts of the condition `Ready`. */
interface Readiness {
  readonly isReady: boolean;
  readonly reason: string;
  readonly message: string;
}

/**
 * Takes the part of an IPAM provider of Cluster API: each IPAddressClaim that names one of our pools gets an IPAddress,
 * and keeps it through `clusterctl move`. Its handle in Plat is the namespace and the name of the claim, and a claim never
 * has more than one address. The rules are those of
 * https://cluster-api.sigs.k8s.io/developer/providers/contracts/ipam
 */
export class ClusterApi {
  readonly #options: ClusterApiOptions;
  readonly #queue: WorkQueue;
  /** The family of each pool that serves claims, by its key; `none` for one that was judged and serves none. */
  readonly #judged = new Map<string, Family | "none">();
  #followed: Followed | undefined;

  constructor(options: ClusterApiOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.waits);
  }

  /** True once everything is listed that the work needs. */
  get isListed(): boolean {
    const followed = this.#followed;
    return followed !== undefined && reflectorsOf(followed).every(({ isListed }) => isListed);
  }

  /** The time at which the API server was last heard; nothing before it has answered which versions it has. */
  get heardAtMs(): number | undefined {
    const followed = this.#followed;
    return followed && Math.max(...reflectorsOf(followed).map(({ heardAtMs }) => heardAtMs));
  }

  /** Follows claims, addresses, pools and Clusters until the signal ends it. It first waits for the CRDs of Cluster API. */
  async follow(signal: AbortSignal): Promise<void> {
    const { api, waits, log } = this.#options;
    const look = async () => {
      const claimVersion = await versionOf(api, CLAIM_GROUP);
      return this.#following(claimVersion, await versionOf(api, CLUSTER_GROUP));
    };
    const missing = (error: unknown) => log("Cluster API was not found", { error: String(error) });
    this.#followed = await onceServed(look, waits, missing, signal);
    if (this.#followed)
      await Promise.all(reflectorsOf(this.#followed).map((each) => each.run(signal)));
  }

  /** Works until the signal ends it, beside `follow`. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits } = this.#options;
    while (!signal.aborted) {
      const followed = this.isListed ? this.#followed : undefined;
      if (!followed) {
        await this.#queue.wait(Infinity, signal);
        continue;
      }
      // A claim needs to know whether its pool serves it, so pools come first.
      const take = (isMeant: (key: string) => boolean) =>
        this.#queue.take(waits.now(), KEYS_PER_ROUND, isMeant);
      const pools = take((key) => !key.startsWith(CLAIM));
      const keys = pools.length > 0 ? pools : take(() => true);
      await inParallel(keys, REQUESTS_AT_ONCE, (key) => this.#work(key, followed));
      if (keys.length === 0) await this.#queue.wait(this.#queue.nextDueAtMs, signal);
    }
  }

  #following(claimVersion: string, clusterVersion: string): Followed {
    const { api, waits } = this.#options;
    const wake = () => this.#queue.wake();
    const changed = (key: string) => {
      this.#add(key);
      wake();
    };
    const follow = <T extends LabelledObject>(
      path: string,
      keep: (object: T) => T,
      changed: (object: T) => void,
    ) => {
      const watched = watching(path.split("/").at(-1) ?? "", this.#options, wake);
      const of = { path, keep, present: changed, gone: changed, ...watched };
      return new Reflector<T>(api, of, waits);
    };
    const ofClaims = `/apis/${claimVersion}`;
    const claimChanged = (object: KubeObject) => changed(`${CLAIM}${keyOf(object)}`);
    const claims = follow<ClaimObject>(`${ofClaims}/ipaddressclaims`, kept, claimChanged);
    const claimsChanged = (areMeant: (claim: ClaimObject) => boolean) => {
      for (const claim of claims.objects.values()) if (areMeant(claim)) claimChanged(claim);
    };
    const pools = (kind: PoolKind) =>
      follow<PoolObject>(`/apis/${POOLS}/${POOL_COLLECTIONS[kind]}`, kept, (pool) => {
        const key = `${kind} ${keyOf(pool)}`;
        changed(key);
        claimsChanged((claim) => poolKeyOf(claim) === key);
      });
    return {
      claims,
      claimVersion,
      addresses: follow<AddressObject>(`${ofClaims}/ipaddresses`, kept, claimChanged),
      clusters: follow<ClusterObject>(`/apis/${clusterVersion}/clusters`, keptCluster, (cluster) =>
        claimsChanged((claim) => clusterKeyOf(claim) === keyOf(cluster)),
      ),
      pools: { PlatIPPool: pools("PlatIPPool"), PlatGlobalIPPool: pools("PlatGlobalIPPool") },
      reporter: new Reporter(api, waits, { apiVersion: claimVersion, kind: "IPAddressClaim" }),
    };
  }

  #add(key: string, inMs = GATHER_MS): void {
    this.#queue.add(key, this.#options.waits.now() + inMs);
  }

  async #work(key: string, followed: Followed): Promise<void> {
    const { waits, log } = this.#options;
    const [kind = "", name = ""] = key.split(" ");
    const poolKind = KINDS.find((each) => each === kind);
    try {
      const againMs = poolKind
        ? await this.#judgePool(poolKind, name, followed)
        : await this.#workOnClaim(name, followed);
      this.#queue.succeeded(key);
      if (againMs !== undefined) this.#add(key, againMs);
    } catch (error) {
      const status = error instanceof KubeError ? error.status : 0;
      // The watch tells of what another one has changed.
      if (status !== CONFLICT) log("The work failed", { of: key, error: String(error) });
      const asked = error instanceof KubeError ? error.retryAfterMs : askedMs(error);
      this.#queue.retry(key, waits.now(), asked);
    }
  }

  /** Says in a pool whether it serves claims. Returns the time until it is to be judged again; nothing if it is gone. */
  async #judgePool(kind: PoolKind, name: string, followed: Followed): Promise<number | undefined> {
    const key = `${kind} ${name}`;
    const pool = followed.pools[kind].objects.get(name);
    if (!pool) {
      this.#judged.delete(key);
      return undefined;
    }
    const { family, ...readiness } = await this.#readinessOf(pool.spec.pool);
    const isNews = this.#judged.get(key) !== (family ?? "none");
    this.#judged.set(key, family ?? "none");
    if (isNews)
      for (const claim of followed.claims.objects.values())
        if (poolKeyOf(claim) === key) this.#add(`${CLAIM}${keyOf(claim)}`);
    await this.#tell(pathOf(POOLS, POOL_COLLECTIONS[kind], pool), pool, readiness);
    return family ? POOL_AGAIN_MS : NO_ADDRESS_MS;
  }

  /** Asks Plat whether one of its pools can serve claims, and with which family. */
  async #readinessOf(name: string): Promise<Readiness & { readonly family?: Family }> {
    const not = (reason: string, message: string) => ({ isReady: false, reason, message });
    const { issues } = v.safeParse(resourceName, name, { abortPipeEarly: true });
    if (issues)
      return not("PoolRejected", `spec.pool is ${JSON.stringify(name)}; it ${issues[0].message}.`);
    try {
      const { body: pool } = await this.#asked(this.#options.plat.readPool({ name }));
      const { cidr, kind, prefixLength, assign } = pool;
      if (assign === "prefixes")
        return not("AssignsPrefixes", `The pool ${name} assigns prefixes.`);
      // An IPAddress must have the prefix length of its network.
      if (kind !== "subnet" && prefixLength === undefined)
        return not(
          "NoPrefixLength",
          `The pool ${name} has neither kind \`subnet\` nor a \`prefixLength\`.`,
        );
      const family = cidr.includes(":") ? "ipv6" : "ipv4";
      const message = `The pool ${name} has ${cidr}.`;
      return { isReady: true, reason: "PoolFound", message, family };
    } catch (error) {
      if (!(error instanceof ApiError) || error.problem.retryable) throw error;
      return not("PoolRejected", error.message);
    }
  }

  /** Does what a claim needs next. Returns the time until another try; nothing if only a change can need one. */
  async #workOnClaim(key: string, followed: Followed): Promise<number | undefined> {
    const claim = followed.claims.objects.get(key);
    const address = followed.addresses.objects.get(key);
    if (claim && isPaused(claim, followed)) return undefined;
    const ours = claim && isOurs(claim.spec.poolRef) ? claim : undefined;
    if (ours?.metadata.deletionTimestamp) await this.#release(ours, address, followed);
    // The event of its end brings the claim here again. One of another provider needs the name too.
    else if (address && isLeftOver(address, claim)) await this.#unprotect(address, followed);
    else if (ours) return this.#serve(ours, address, followed);
    return undefined;
  }

  /** Gives a claim its address, and writes the IPAddress and the status. */
  async #serve(
    claim: ClaimObject,
    known: AddressObject | undefined,
    followed: Followed,
  ): Promise<number | undefined> {
    const pool = poolOf(claim, followed);
    const path = pathOf(followed.claimVersion, "ipaddressclaims", claim);
    const waitFor = (reason: string, message: string) =>
      this.#tell(path, claim, { isReady: false, reason, message });
    const { kind, name } = claim.spec.poolRef;
    const family = this.#judged.get(poolKeyOf(claim));
    if (pool && known && isServed(claim, known, ownersOf(claim, pool, followed.claimVersion)))
      return undefined;
    if (!pool) await waitFor("PoolNotFound", `There is no ${kind} ${name}.`);
    else if (family === "none") await waitFor("PoolNotReady", `The ${kind} ${name} is not ready.`);
    // The claim is looked at again with its pool.
    if (!pool || !family || family === "none") return undefined;
    await this.#setFinalizers(path, claim, withOne(claim, RELEASES_ADDRESS));
    let assigned: Assigned | undefined;
    try {
      assigned = await this.#assign(claim, pool.spec.pool, family);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await waitFor("AddressNotAvailable", error.message);
      void followed.reporter.warn(claim, "AddressNotAvailable", error.message);
      return askedMs(error) || NO_ADDRESS_MS;
    }
    const [, prefix] = assigned?.cidr?.split("/") ?? [];
    if (!assigned || prefix === undefined) {
      await waitFor("NoPrefixLength", `The pool ${pool.spec.pool} says no prefix length.`);
      return NO_ADDRESS_MS;
    }
    const { address, gateway } = assigned;
    if (known && known.spec.address !== address) {
      const message = `The IPAddress has ${known.spec.address}, and Plat assigned ${address}.`;
      await waitFor("AddressMismatch", message);
      return NO_ADDRESS_MS;
    }
    const spec = { address, prefix: Number(prefix), ...(gateway !== undefined && { gateway }) };
    await this.#putAddress(
      claim,
      known,
      ownersOf(claim, pool, followed.claimVersion),
      spec,
      followed,
    );
    const message = "The IPAddress has the name of the claim.";
    const ready = { isReady: true, reason: "AddressAssigned", message };
    await this.#tell(path, claim, ready, { addressRef: { name: claim.metadata.name } });
    return undefined;
  }

  /** Asks Plat for the address of a claim. A claim that has one gets it again. */
  async #assign(claim: ClaimObject, pool: string, family: Family): Promise<Assigned | undefined> {
    const { namespace = "", name } = claim.metadata;
    const cluster = clusterNameOf(claim);
    const body = {
      host: HOST,
      handle: handleOf(claim),
      pools: [pool],
      [family]: 1,
      limitPerHandle: 1,
      attributes: { namespace, claim: name, ...(cluster !== undefined && { cluster }) },
    };
    const { addresses } = (await this.#asked(this.#options.plat.assign({ body }))).body;
    return addresses[0];
  }

  /** Creates the IPAddress of a claim, or mends what a move has taken from it. */
  async #putAddress(
    claim: ClaimObject,
    known: AddressObject | undefined,
    owners: readonly OwnerReference[],
    spec: object,
    { claimVersion }: Followed,
  ): Promise<void> {
    const { namespace, name, labels = {} } = claim.metadata;
    const cluster = clusterNameOf(claim);
    if (known) {
      const others = (known.metadata.ownerReferences ?? []).filter(
        (one) => !owners.some((own) => own.kind === one.kind && own.name === one.name),
      );
      const path = pathOf(claimVersion, "ipaddresses", known);
      await this.#change(path, known, {
        finalizers: withOne(known, PROTECTS_ADDRESS),
        ownerReferences: [...others, ...owners],
      });
      return;
    }
    const body = {
      apiVersion: claimVersion,
      kind: "IPAddress",
      metadata: {
        name,
        namespace,
        finalizers: [PROTECTS_ADDRESS],
        ownerReferences: owners,
        labels: { ...labels, ...(cluster !== undefined && { [CLUSTER_NAME]: cluster }) },
      },
      spec: { claimRef: { name }, poolRef: claim.spec.poolRef, ...spec },
    };
    const path = `/apis/${claimVersion}/namespaces/${namespace}/ipaddresses`;
    await this.#options.api.send({ method: "POST", path, body });
  }

  /** Releases the address of a claim that is being deleted, and lets go of the IPAddress and of the claim. */
  async #release(
    claim: ClaimObject,
    address: AddressObject | undefined,
    followed: Followed,
  ): Promise<void> {
    if (!claim.metadata.finalizers?.includes(RELEASES_ADDRESS)) return;
    const handle = handleOf(claim);
    const { complete } = (await this.#asked(this.#options.plat.releaseHandle({ handle }))).body;
    // The finalizer is all that remembers the address.
    if (!complete) throw new Error(`Plat has not released all that the handle ${handle} has`);
    if (address) await this.#unprotect(address, followed);
    const path = pathOf(followed.claimVersion, "ipaddressclaims", claim);
    await this.#setFinalizers(path, claim, without(claim, RELEASES_ADDRESS));
  }

  /** Deletes an IPAddress. */
  async #unprotect(address: AddressObject, { claimVersion }: Followed): Promise<void> {
    const path = pathOf(claimVersion, "ipaddresses", address);
    try {
      await this.#setFinalizers(path, address, without(address, PROTECTS_ADDRESS));
      await this.#options.api.send({ method: "DELETE", path });
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== NOT_FOUND) throw error;
    }
  }

  #setFinalizers(path: string, object: LabelledObject, finalizers: readonly string[]) {
    return this.#change(path, object, { finalizers });
  }

  /** Changes lists in the metadata of an object, as it was seen; nothing if they are so. */
  async #change(path: string, object: LabelledObject, lists: Partial<Lists>): Promise<void> {
    const { resourceVersion, finalizers = [], ownerReferences = [] } = object.metadata;
    if (same({ finalizers, ownerReferences, ...lists }, { finalizers, ownerReferences })) return;
    const body = { metadata: { resourceVersion, ...lists } };
    await this.#options.api.send({ method: "PATCH", path, body });
  }

  /** Writes the condition `Ready` into the status of an object, if it says something else. */
  async #tell(
    path: string,
    { status = {} }: ClaimObject | PoolObject,
    { isReady, reason, message }: Readiness,
    more: Pick<NonNullable<ClaimObject["status"]>, "addressRef"> = {},
  ): Promise<void> {
    const { conditions = [], ...rest } = status;
    const known = conditions.find(({ type }) => type === "Ready");
    const told = { status: isReady ? "True" : "False", reason, message };
    if (same({ ...known, ...told }, { ...known }) && same({ ...rest, ...more }, rest)) return;
    const time = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const lastTransitionTime = known?.status === told.status ? known.lastTransitionTime : time;
    const ready = { type: "Ready", ...told, lastTransitionTime };
    const others = conditions.filter(({ type }) => type !== "Ready");
    const body = { status: { ...more, conditions: [...others, ready] } };
    await this.#options.api.send({ method: "PATCH", path: `${path}/status`, body });
    const resource = path.split("/").at(-2) ?? "";
    this.#options.metrics.add("plat_controller_patches_total", { resource, status: 200 });
  }

  /** Returns the answer of Plat to a request, and counts its outcome. */
  async #asked<T>(answering: Promise<T>): Promise<T> {
    const count = (outcome: string) =>
      this.#options.metrics.add("plat_controller_plat_requests_total", { outcome });
    try {
      const answer = await answering;
      count("answered");
      return answer;
    } catch (error) {
      count(outcomeOf(error));
      throw error;
    }
  }
}

/** Returns the group of an API with the best of the versions that this speaks. @throws {Error} if there is none */
const versionOf = (api: KubeApi, group: string): Promise<string> =>
  servedOf(
    api,
    VERSIONS.map((version) => `${group}/${version}`),
  );

const reflectorsOf = ({ claims, addresses, clusters, pools }: Followed) => [
  claims,
  addresses,
  clusters,
  ...Object.values(pools),
];

/** Returns what is kept of the metadata of an object. */
function keptMetadata({ metadata }: LabelledObject): LabelledObject["metadata"] {
  const { name, namespace, uid, resourceVersion, labels, annotations } = metadata;
  const { finalizers, ownerReferences, deletionTimestamp } = metadata;
  const cluster = labels?.[CLUSTER_NAME];
  return {
    ...{ name, uid, resourceVersion },
    ...(namespace !== undefined && { namespace }),
    ...(cluster !== undefined && { labels: { [CLUSTER_NAME]: cluster } }),
    ...(annotations?.[PAUSED] !== undefined && { annotations: { [PAUSED]: "" } }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && { ownerReferences }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

const kept = <T extends LabelledObject>(object: T): T => ({
  ...object,
  metadata: keptMetadata(object),
});

const keptCluster = ({
  metadata,
  spec: { paused = false } = {},
}: ClusterObject): ClusterObject => ({
  metadata: keptMetadata({ metadata }),
  spec: { paused },
});

const kindOf = ({ apiGroup, kind }: PoolRef): PoolKind | undefined =>
  apiGroup === POOL_GROUP ? KINDS.find((each) => each === kind) : undefined;
const isOurs = (poolRef: PoolRef): boolean => kindOf(poolRef) !== undefined;

/** Returns the key of the pool that a claim names, such as `PlatIPPool team-a/machines`. */
function poolKeyOf({ metadata, spec: { poolRef } }: ClaimObject): string {
  const { kind, name } = poolRef;
  return `${kind} ${kind === "PlatIPPool" ? `${metadata.namespace}/${name}` : name}`;
}

function poolOf(claim: ClaimObject, { pools }: Followed): PoolObject | undefined {
  const kind = kindOf(claim.spec.poolRef);
  return kind && pools[kind].objects.get(poolKeyOf(claim).slice(kind.length + 1));
}

/**
 * Returns true if an IPAddress is being deleted and does not belong to the claim of its name: the garbage collector deletes what
 * belonged to a claim that is gone, and another claim may have the name by now.
 */
const isLeftOver = (
  { metadata: { deletionTimestamp, ownerReferences = [] }, spec }: AddressObject,
  claim: ClaimObject | undefined,
): boolean =>
  deletionTimestamp !== undefined &&
  isOurs(spec.poolRef) &&
  !ownerReferences.some(({ uid }) => uid === claim?.metadata.uid);

const clusterNameOf = ({ metadata, spec }: ClaimObject): string | undefined =>
  spec.clusterName ?? metadata.labels?.[CLUSTER_NAME];

/** Returns the key of the Cluster that a claim belongs to. */
function clusterKeyOf(claim: ClaimObject): string | undefined {
  const name = clusterNameOf(claim);
  return name === undefined ? undefined : `${claim.metadata.namespace}/${name}`;
}

/** Returns true if nothing may be done for a claim. One of a Cluster that is absent can only be deleted. */
function isPaused(claim: ClaimObject, followed: Followed): boolean {
  const hasPause = (object: LabelledObject | undefined) =>
    object?.metadata.annotations?.[PAUSED] !== undefined;
  if (hasPause(claim) || hasPause(poolOf(claim, followed))) return true;
  const key = clusterKeyOf(claim);
  if (key === undefined) return false;
  const cluster = followed.clusters.objects.get(key);
  if (!cluster) return claim.metadata.deletionTimestamp === undefined;
  return cluster.spec?.paused === true || hasPause(cluster);
}

/**
 * Returns the handle of a claim. It lacks the uid, which `clusterctl move` changes. A name that is too long for a handle
 * ends with a digest of itself.
 */
function handleOf({ metadata: { namespace, name } }: ClaimObject): string {
  const handle = `capi/${namespace}/${name}`;
  if (handle.length <= NAME_CHARACTERS_MAX) return handle;
  const end = `.${createHash("sha256").update(name).digest("hex").slice(0, DIGEST_CHARACTERS)}`;
  return handle.slice(0, NAME_CHARACTERS_MAX - end.length) + end;
}

/** Returns the owners that an IPAddress must have. */
function ownersOf(
  claim: ClaimObject,
  pool: PoolObject,
  claimVersion: string,
): readonly OwnerReference[] {
  const owner = (apiVersion: string, kind: string, { metadata }: LabelledObject, more: object) => ({
    ...{ apiVersion, kind, name: metadata.name, uid: metadata.uid },
    ...more,
    blockOwnerDeletion: true,
  });
  return [
    owner(claimVersion, "IPAddressClaim", claim, { controller: true }),
    owner(POOLS, claim.spec.poolRef.kind, pool, { controller: false }),
  ];
}

/** Returns true if a claim and its IPAddress say all that they should. Plat is then not asked. */
function isServed(
  claim: ClaimObject,
  known: AddressObject,
  owners: readonly OwnerReference[],
): boolean {
  const { addressRef, conditions = [] } = claim.status ?? {};
  return (
    addressRef?.name === claim.metadata.name &&
    conditions.some(({ type, status }) => type === "Ready" && status === "True") &&
    claim.metadata.finalizers?.includes(RELEASES_ADDRESS) === true &&
    known.metadata.finalizers?.includes(PROTECTS_ADDRESS) === true &&
    owners.every(({ uid }) => known.metadata.ownerReferences?.some((one) => one.uid === uid))
  );
}

const without = ({ metadata: { finalizers = [] } }: LabelledObject, finalizer: string) =>
  finalizers.filter((each) => each !== finalizer);
const withOne = (object: LabelledObject, finalizer: string) => [
  ...without(object, finalizer),
  finalizer,
];

/** Returns the path of an object. */
function pathOf(version: string, resource: string, { metadata }: KubeObject): string {
  const { namespace, name } = metadata;
  const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `/apis/${version}${within}/${resource}/${name}`;
}
