import * as v from "valibot";
import { invalid } from "../api/schema/problem.ts";
import { checked } from "../api/schema/schema.ts";
import { annotations } from "../api/schema/spiderpool-annotations.ts";
import { isKeptKind } from "../nouns/application/workload.ts";
import { SPIDER_PREFIX } from "../nouns/pool/contract/spider-ippool.ts";
import { isOfSubnets, POOL_ANNOTATIONS } from "../selection/spiderpool-annotations.ts";
import { type DeclaredKind, type DeclaredObject, MANY_COMPARE_MS } from "./declared-kinds.ts";
import { APPLICATIONS } from "./declared-nouns.ts";
import type { KubeObject } from "./kube/reflector.ts";

type Texts = Readonly<Record<string, string>>;

/** The part of a controller of pods that is kept. */
interface KeptController {
  readonly replicas: number;
  readonly start: number;
  /** The annotations of its pods that say which addresses it has. */
  readonly annotations: Texts;
  /** True if another controller made it, which has the addresses then. Its pods still keep theirs. */
  readonly isOwned: boolean;
}

/** A controller of pods, as far as the number and the addresses of its pods follow from it. */
interface PodController extends KubeObject {
  readonly metadata: KubeObject["metadata"] & {
    readonly ownerReferences?: readonly { readonly controller?: boolean }[];
  };
  readonly spec?: {
    readonly replicas?: number;
    readonly ordinals?: { readonly start?: number };
    readonly template?: PodTemplate;
    readonly jobTemplate?: { readonly spec?: JobSpec };
  } & JobSpec;
  readonly status?: { readonly desiredNumberScheduled?: number };
}

interface PodTemplate {
  readonly metadata?: { readonly annotations?: Texts };
}

interface JobSpec {
  readonly completions?: number;
  readonly parallelism?: number;
  readonly template?: PodTemplate;
}

const SUBNETS = POOL_ANNOTATIONS.filter((key) => isOfSubnets(key));
const NUMBER = `${SPIDER_PREFIX}/ippool-ip-number`;
const RECLAIM = `${SPIDER_PREFIX}/ippool-reclaim`;
const ADDRESS_ANNOTATIONS: readonly string[] = [...SUBNETS, NUMBER, RECLAIM];

const podAnnotations = v.object({ annotations });

/** The texts that Go takes for true and for false (https://pkg.go.dev/strconv#ParseBool). */
const TRUE = ["1", "t", "T", "TRUE", "true", "True"];
const FALSE = ["0", "f", "F", "FALSE", "false", "False"];

/** Returns whether the addresses go when the controller of pods is deleted. Errors: a text that Go takes for neither. */
function isReclaimed(text: string): boolean {
  if (TRUE.includes(text)) return true;
  if (FALSE.includes(text)) return false;
  const field = `annotations.${RECLAIM}`;
  throw invalid({ field, value: text, problem: 'must be "true" or "false"' });
}

const replicasOf = ({ spec }: PodController) => spec?.replicas ?? 1;

/** Returns how many pods a Job wants in all, as Spiderpool counts them. */
const podsOf = ({ completions = 0, parallelism = 0 }: JobSpec = {}): number =>
  completions || parallelism || 1;

/** The kinds of controllers of pods, each with how many pods it wants. */
const CONTROLLERS: readonly (readonly [
  kind: string,
  version: string,
  resource: string,
  replicas: (of: PodController) => number,
])[] = [
  ["Deployment", "apps/v1", "deployments", replicasOf],
  ["StatefulSet", "apps/v1", "statefulsets", replicasOf],
  ["DaemonSet", "apps/v1", "daemonsets", ({ status }) => status?.desiredNumberScheduled ?? 0],
  ["ReplicaSet", "apps/v1", "replicasets", replicasOf],
  ["Job", "batch/v1", "jobs", ({ spec }) => podsOf(spec)],
  ["CronJob", "batch/v1", "cronjobs", ({ spec }) => podsOf(spec?.jobTemplate?.spec)],
];

/** The kinds that declare applications. One without addresses is registered only if its instances keep what they have. */
export const APPLICATION_KINDS: readonly DeclaredKind[] = CONTROLLERS.map(
  ([kind, version, resource, replicas]) => ({
    kind,
    apiVersions: [version],
    resource,
    noun: APPLICATIONS,
    keep: (object) => keptController(object as PodController, replicas),
    declares: ({ spec }) => {
      const { isOwned, annotations: said } = spec as KeptController;
      return isKeptKind({ kind }) || (!isOwned && SUBNETS.some((key) => key in said));
    },
    read: (manifest) => ({ fields: applicationIn(manifest), skipped: [] }),
    unsaid: [],
    compareMs: MANY_COMPARE_MS,
  }),
);

function keptController(
  object: PodController,
  replicas: (of: PodController) => number,
): DeclaredObject {
  const { metadata, spec = {} } = object;
  const { name, namespace, uid, resourceVersion, ownerReferences = [] } = metadata;
  const { template = spec.jobTemplate?.spec?.template } = spec;
  const said = Object.entries(template?.metadata?.annotations ?? {});
  const kept: KeptController = {
    replicas: replicas(object),
    start: spec.ordinals?.start ?? 0,
    annotations: Object.fromEntries(said.filter(([key]) => ADDRESS_ANNOTATIONS.includes(key))),
    isOwned: ownerReferences.some(({ controller }) => controller === true),
  };
  const within = namespace !== undefined && { namespace };
  return { metadata: { name, uid, resourceVersion, ...within }, spec: kept };
}

/** Returns the fields of the application that a controller of pods declares. Errors: an annotation that is not valid. */
function applicationIn(manifest: object): Readonly<Record<string, unknown>> {
  const { spec } = manifest as { spec: KeptController };
  const { replicas, start, annotations: said, isOwned } = spec;
  if (isOwned) return { replicas, start };
  const { pools } = checked(podAnnotations, {
    annotations: Object.fromEntries(
      SUBNETS.flatMap((key) => (key in said ? [[key, said[key]]] : [])),
    ),
  }).annotations;
  if (!pools) return { replicas, start };
  const keep = said[RECLAIM] !== undefined && !isReclaimed(said[RECLAIM]);
  const number = said[NUMBER] ?? "+1";
  const interfaces = pools.items.map(({ interface: name, pools: of }) => ({
    name,
    pools: [...of[4], ...of[6]],
  }));
  const [only, ...others] = interfaces;
  const where =
    only && only.name === undefined && others.length === 0 ? { pools: only.pools } : { interfaces };
  return { replicas, start, addresses: { number, ...where, keep } };
}
