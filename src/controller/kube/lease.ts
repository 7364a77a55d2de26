import { withOwnSignal } from "../../client/own-signal.ts";
import { type KubeApi, KubeError } from "./api.ts";
import type { Waits } from "./waits.ts";

/** The times of Kubernetes' own leaders. */
const LEASE_SECONDS = 15;
const RENEW_MS_MAX = 10_000;
const TRY_AGAIN_MS = 2_000;
const NOT_FOUND = 404;

/** The Lease that replicas share, and the name of this one. */
export interface LeaseOf {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
}

interface Lease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseTransitions?: number;
  };
}

/** Another replica has the Lease, or may have it. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/**
 * Acts while this replica has the Lease. It waits for the Lease first, and gives it up at the end. Whether another one
 * renews it is judged by the own clock, so the clocks of replicas may differ.
 *
 * @param act runs until its signal is aborted
 * @throws {LeaseLostError} if the Lease could not be renewed in time
 */
export async function whileLeading(
  api: KubeApi,
  of: LeaseOf,
  waits: Waits,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const holder = new LeaseHolder(api, of, waits);
  while (!(await holder.hold(signal).catch(() => false))) {
    await waits.sleep(TRY_AGAIN_MS, signal);
    if (signal.aborted) return;
  }
  const ending = new AbortController();
  const acting = act(AbortSignal.any([signal, ending.signal]));
  const renewing = renew(holder, waits, AbortSignal.any([signal, ending.signal]));
  try {
    await Promise.race([acting, renewing]);
  } finally {
    ending.abort();
    await Promise.allSettled([acting, renewing]);
  }
  await holder.release().catch(() => undefined);
}

async function renew(holder: LeaseHolder, waits: Waits, signal: AbortSignal): Promise<void> {
  for (let renewedAtMs = waits.now(); !signal.aborted; ) {
    await waits.sleep(TRY_AGAIN_MS, signal);
    const leftMs = renewedAtMs + RENEW_MS_MAX - waits.now();
    const isHeld = await holder.hold(signal, leftMs).catch(() => undefined);
    if (isHeld) renewedAtMs = waits.now();
    if (isHeld === false && !signal.aborted) throw new LeaseLostError("another replica leads now");
    if (waits.now() - renewedAtMs >= RENEW_MS_MAX)
      throw new LeaseLostError(`the Lease was not renewed in ${RENEW_MS_MAX / 1000} s`);
  }
}

class LeaseHolder {
  readonly #api: KubeApi;
  readonly #of: LeaseOf;
  readonly #waits: Waits;
  readonly #path: string;
  /** The Lease of another replica, and since when it is unchanged by the own clock. */
  #seen: { readonly resourceVersion: string; readonly sinceMs: number } | undefined;

  constructor(api: KubeApi, of: LeaseOf, waits: Waits) {
    this.#api = api;
    this.#of = of;
    this.#waits = waits;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${of.namespace}/leases`;
  }

  /** Takes or renews the Lease. Returns false if another replica has it. @param ms the time for the answers */
  async hold(signal: AbortSignal, ms = RENEW_MS_MAX): Promise<boolean> {
    return withOwnSignal(signal, async (own) => {
      const late = () => own.abort(new Error(`the API server did not answer in ${ms} ms`));
      void this.#waits.sleep(ms, own.signal).then(late);
      try {
        return await this.#hold(own.signal);
      } finally {
        own.abort();
      }
    });
  }

  async #hold(signal: AbortSignal): Promise<boolean> {
    const lease = await this.#read(signal);
    const { holderIdentity: holder = "", leaseTransitions = 0 } = lease?.spec ?? {};
    const isOwn = holder === this.#of.identity;
    if (lease && !isOwn && holder !== "" && !this.#isOver(lease)) return false;
    const time = new Date().toISOString().replace("Z", "000Z");
    const spec = {
      ...lease?.spec,
      holderIdentity: this.#of.identity,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: time,
      ...(!isOwn && { acquireTime: time, leaseTransitions: leaseTransitions + (lease ? 1 : 0) }),
    };
    await this.#write(lease, spec, signal);
    return true;
  }

  /** Lets another replica have the Lease at once. */
  async release(): Promise<void> {
    const signal = AbortSignal.timeout(TRY_AGAIN_MS);
    const lease = await this.#read(signal);
    if (lease?.spec?.holderIdentity !== this.#of.identity) return;
    await this.#write(lease, { ...lease.spec, holderIdentity: "" }, signal);
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      const path = `${this.#path}/${this.#of.name}`;
      return await this.#api.send<Lease>({ path }, signal);
    } catch (error) {
      if (error instanceof KubeError && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** Writes the Lease as it was read. It fails with a conflict if somebody else has written it, for whatever reason. */
  async #write(lease: Lease | undefined, spec: object, signal: AbortSignal): Promise<void> {
    const kind = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec };
    const { name } = this.#of;
    await this.#api.send(
      lease
        ? {
            method: "PUT",
            path: `${this.#path}/${name}`,
            body: { ...kind, metadata: lease.metadata },
          }
        : { method: "POST", path: this.#path, body: { ...kind, metadata: { name } } },
      signal,
    );
  }

  /** Returns true if nobody has written the Lease for its time. Two renewals can name the same time, but no two writes the same version. */
  #isOver({ metadata: { resourceVersion } }: Lease): boolean {
    const nowMs = this.#waits.now();
    if (this.#seen?.resourceVersion !== resourceVersion)
      this.#seen = { resourceVersion, sinceMs: nowMs };
    return nowMs - this.#seen.sinceMs > 1000 * LEASE_SECONDS;
  }
}
