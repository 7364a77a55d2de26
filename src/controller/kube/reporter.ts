import { createHash } from "node:crypto";
import { type KubeApi, KubeError } from "./api.ts";
import type { KubeObject } from "./reflector.ts";
import type { Waits } from "./waits.ts";

/** One Event for an object and a reason in this time. */
const AGAIN_MS = 5 * 60_000;
/** Objects and reasons that are remembered. */
const REMEMBERED_MAX = 10_000;
/** The room of a message in an Event. */
const MESSAGE_CHARACTERS_MAX = 1024;
const CONFLICT = 409;
/** Events about objects without a namespace are in this one. */
const NAMESPACE_DEFAULT = "default";

/** The reasons of Events. The first two are those of kube-controller-manager. */
export type Reason =
  | "CIDRNotAvailable"
  | "CIDRAssignmentFailed"
  | "TaintsNotWritten"
  | "PrefixMismatch"
  | "OtherCluster"
  | "EventRejected"
  | "CiliumNodeRejected"
  | "AddressNotAvailable"
  | "PoolNotOwned"
  | "PoolRejected"
  | "ReservationNotOwned"
  | "ReservationRejected"
  | "NamespaceRejected"
  | "ApplicationRejected"
  | "ApplicationIncomplete"
  | "TooManyMissing";

/** The kind of the objects that Events are about. */
export interface KindOf {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Writes Events about objects of a kind, which `kubectl describe` shows. One that cannot be written is left out. */
export class Reporter {
  readonly #api: KubeApi;
  readonly #waits: Waits;
  readonly #kind: KindOf;
  readonly #told = new Map<string, { readonly atMs: number; readonly count: number }>();

  constructor(api: KubeApi, waits: Waits, kind: KindOf) {
    this.#api = api;
    this.#kind = kind;
    this.#waits = waits;
  }

  async warn(object: KubeObject, reason: Reason, message: string): Promise<void> {
    const { name, uid, namespace } = object.metadata;
    const event = `${name}.${createHash("sha256").update(`${uid} ${reason}`).digest("hex").slice(0, 16)}`;
    const told = this.#told.get(event);
    const nowMs = this.#waits.now();
    if (told && nowMs - told.atMs < AGAIN_MS) return;
    if (this.#told.size >= REMEMBERED_MAX) this.#told.clear();
    const count = (told?.count ?? 0) + 1;
    this.#told.set(event, { atMs: nowMs, count });
    const time = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const changing = {
      count,
      lastTimestamp: time,
      message: message.slice(0, MESSAGE_CHARACTERS_MAX),
    };
    const body = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: event, namespace: namespace ?? NAMESPACE_DEFAULT },
      involvedObject: { ...this.#kind, name, uid, ...(namespace !== undefined && { namespace }) },
      reason,
      type: "Warning",
      source: { component: "plat-controller" },
      firstTimestamp: time,
      ...changing,
    };
    const path = `/api/v1/namespaces/${body.metadata.namespace}/events`;
    try {
      await this.#api.send({ method: "POST", path, body }).catch((error: unknown) => {
        if (!(error instanceof KubeError) || error.status !== CONFLICT) throw error;
        return this.#api.send({ method: "PATCH", path: `${path}/${event}`, body: changing });
      });
    } catch {
      // The log and the metrics have the same.
    }
  }
}
