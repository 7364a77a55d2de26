import type { PodSeen } from "../cni/attachment.ts";
import { CniError, CODE } from "../cni/error.ts";
import type { AboutContainer } from "../cni/run.ts";
import { POOL_ANNOTATIONS } from "../selection/spiderpool-annotations.ts";
import { KubeError } from "./kube/api.ts";
import { type KubeObject, type OwnerReference, Reflector } from "./kube/reflector.ts";
import { watching } from "./metrics.ts";
import { STATIC_UID, uidsOf } from "./pods.ts";
import type { PartSurroundings } from "./surroundings.ts";

const PODS = "/api/v1/pods";
const NAMESPACES = "/api/v1/namespaces";
const NOT_FOUND = 404;
/** The controllers that may have one themselves, each with its collection. */
const BETWEEN: Readonly<Record<string, string>> = {
  "apps/v1 ReplicaSet": "/apis/apps/v1/namespaces/NAMESPACE/replicasets",
  "batch/v1 Job": "/apis/batch/v1/namespaces/NAMESPACE/jobs",
};
/** The controllers between pods and others that are remembered. */
const REMEMBERED_MAX = 1_000;

type Texts = Readonly<Record<string, string>>;

interface OwnedObject extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly ownerReferences?: readonly OwnerReference[];
  };
}

/** A pod, as a runtime names it. */
interface PodNamed {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
}

/** The surroundings of the work on the pods of a node. */
export interface NodePodsOptions extends Omit<PartSurroundings<never>, "plat"> {
  readonly node: string;
}

/** The pods of one node, with the labels of their namespaces and their top controllers. It reads metadata alone. */
export class NodePods {
  readonly #options: NodePodsOptions;
  readonly #pods: Reflector<OwnedObject>;
  readonly #namespaces: Reflector<OwnedObject>;
  /** The controllers of ReplicaSets and Jobs, by the uids of these. */
  readonly #above = new Map<string, OwnerReference>();

  constructor(options: NodePodsOptions) {
    const { api, waits, metrics, log, node } = options;
    this.#options = options;
    const following = (resource: string) => ({
      metadataOnly: true,
      keep: kept,
      present: () => undefined,
      gone: () => undefined,
      ...watching(resource, { metrics, log }, () => undefined),
    });
    const fieldSelector = `spec.nodeName=${node}`;
    this.#pods = new Reflector(api, { ...following("pods"), path: PODS, fieldSelector }, waits);
    this.#namespaces = new Reflector(api, { ...following("namespaces"), path: NAMESPACES }, waits);
  }

  /** The collections that are not listed yet, in words. */
  get unlisted(): readonly string[] {
    return [
      ...(this.#pods.isListed ? [] : ["the Pods of the node are not listed yet"]),
      ...(this.#namespaces.isListed ? [] : ["the Namespaces are not listed yet"]),
    ];
  }

  /** The time at which the API server was last heard. */
  get heardAtMs(): number {
    return Math.max(this.#pods.heardAtMs, this.#namespaces.heardAtMs);
  }

  /** Follows the pods and the namespaces until the signal ends it. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pods.run(signal), this.#namespaces.run(signal)]);
  }

  /**
   * Returns a pod as the cluster has it, and `gone` if the cluster has it no more. It asks the API server only for what it
   * does not follow: a pod that it has not seen yet, or a ReplicaSet or a Job. A DEL must succeed without that server, which
   * may be silent for longer than the runtime waits. So it asks nothing, and calls a pod gone of which it does not know all.
   *
   * @throws {CniError} if another command has to be tried again later
   */
  async see(command: AboutContainer, named: PodNamed): Promise<PodSeen | "gone"> {
    try {
      const ask = command === "DEL" ? notAsked : (path: string) => this.#get(path);
      const pod = this.#known(named) ?? (await read(named, ask));
      if (pod) return await this.#seen(pod, named.namespace, ask);
    } catch (error) {
      if (command === "DEL") return "gone";
      throw new CniError(
        CODE.tryAgainLater,
        `The API server did not say what the pod ${named.namespace}/${named.name} is.`,
        String(error),
      );
    }
    if (command !== "ADD") return "gone";
    throw new CniError(
      CODE.tryAgainLater,
      `The cluster has no pod ${named.namespace}/${named.name}${named.uid === undefined ? "" : ` with the uid ${named.uid}`}.`,
    );
  }

  #known({ namespace, name, uid }: PodNamed): OwnedObject | undefined {
    const pod = this.#pods.objects.get(`${namespace}/${name}`);
    return pod && uid !== undefined && isOf(pod, uid) ? pod : undefined;
  }

  async #seen({ metadata }: OwnedObject, namespace: string, ask: Ask): Promise<PodSeen> {
    const { uid, labels = {}, annotations = {} } = metadata;
    const space =
      this.#namespaces.objects.get(namespace) ?? (await ask(`${NAMESPACES}/${namespace}`));
    const owner = controllerIn(metadata);
    const { kind, name } = (owner && (await this.#ownerOf(owner, namespace, ask))) ?? owner ?? {};
    return {
      uid,
      labels,
      annotations,
      namespaceLabels: space?.metadata.labels ?? {},
      controller: kind === undefined || name === undefined ? undefined : { kind, name },
    };
  }

  /** Returns the controller of a ReplicaSet or of a Job; nothing of another one, and of one that is gone. */
  async #ownerOf({ apiVersion, kind, name, uid }: OwnerReference, namespace: string, ask: Ask) {
    const path = BETWEEN[`${apiVersion} ${kind}`]?.replace("NAMESPACE", namespace);
    if (path === undefined) return undefined;
    const known = this.#above.get(uid);
    if (known) return known;
    const between = await ask(`${path}/${name}`);
    const owner = between?.metadata.uid === uid ? controllerIn(between.metadata) : undefined;
    if (this.#above.size >= REMEMBERED_MAX) this.#above.clear();
    if (owner) this.#above.set(uid, owner);
    return owner;
  }

  async #get(path: string): Promise<OwnedObject | undefined> {
    try {
      return kept(await this.#options.api.send<OwnedObject>({ path }));
    } catch (error) {
      if (error instanceof KubeError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }
}

/** Asks for an object; nothing if it is gone. */
type Ask = (path: string) => Promise<OwnedObject | undefined>;

const notAsked: Ask = (path) => Promise.reject(new Error(`${path} is not known`));

async function read(
  { namespace, name, uid }: PodNamed,
  ask: Ask,
): Promise<OwnedObject | undefined> {
  const pod = await ask(`${NAMESPACES}/${namespace}/pods/${name}`);
  return pod && (uid === undefined || isOf(pod, uid)) ? pod : undefined;
}

const isOf = (pod: OwnedObject, asked: string): boolean => uidsOf(pod).includes(asked);

const controllerIn = ({
  ownerReferences = [],
}: OwnedObject["metadata"]): OwnerReference | undefined =>
  ownerReferences.find(({ controller }) => controller);

/** Returns what is kept of an object. */
function kept({ metadata }: OwnedObject): OwnedObject {
  const { name, namespace, uid, resourceVersion, labels, annotations = {} } = metadata;
  const controller = controllerIn(metadata);
  const read = [...POOL_ANNOTATIONS, STATIC_UID].filter((key) => Object.hasOwn(annotations, key));
  return {
    metadata: {
      ...{ name, uid, resourceVersion },
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      ...(read.length > 0 && {
        annotations: Object.fromEntries(read.map((key) => [key, annotations[key] ?? ""])),
      }),
      ...(controller && { ownerReferences: [controller] }),
    },
  };
}
