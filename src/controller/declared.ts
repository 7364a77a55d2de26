import { orProblem, Problem } from "../api/schema/problem.ts";
import { same } from "../base/same.ts";
import { ApiError, found, type Reply } from "../client/index.ts";
import { keepingUnsaid } from "../contract/manifest-fields.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import type { DeclaredKind, DeclaredObject } from "./declared-kinds.ts";
import type { Current, DeclaredName, DeclaringCalls } from "./declared-nouns.ts";
import { FOLLOWED_MS_MAX } from "./gone.ts";
import { keyOf, Reflector } from "./kube/reflector.ts";
import { type Reason, Reporter } from "./kube/reporter.ts";
import { collectionPath, onceServed, servedOf } from "./kube/served.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { PartSurroundings } from "./surroundings.ts";
import { askedMs, GATHER_MS, WorkQueue } from "./work-queue.ts";

const REQUESTS_AT_ONCE = 4;
/** Manifests in one round of work. */
const NAMES_PER_ROUND = 64;
/** The wait before Plat is asked again for what only a change elsewhere can make possible. */
const REFUSED_AGAIN_MS = 5 * 60_000;
/** The least status of an answer that is about the state of Plat, and about no manifest. */
const OVERLOADED = 429;
/** The ends of manifests that wait for Plat, or that another replica tells. The earliest ones are forgotten. */
const ENDS_MAX = 50_000;
/** The code of a write that another one has overtaken. */
const OVERTAKEN = "precondition_failed";

/** The surroundings of the work on manifests of a kind. */
export interface DeclaredOptions extends PartSurroundings<DeclaringCalls> {
  readonly kind: DeclaredKind;
  /** The name of the cluster for Plat. */
  readonly cluster: string;
  /** True if a pool whose manifest is gone is deleted once it is empty. */
  readonly deletesPools: boolean;
}

/** The next step towards what the manifests say. */
type Act =
  | { readonly is: "done"; readonly skipped?: readonly string[] }
  | { readonly is: "put"; readonly body: Current; readonly skipped?: readonly string[] }
  | { readonly is: "delete" }
  | { readonly is: "refuse"; readonly why: "NotOwned" | "Rejected"; readonly detail: string };

const DONE: Act = { is: "done" };

/** The collection that the work follows, in the version that the API server has. */
interface Followed {
  readonly reflector: Reflector<DeclaredObject>;
  readonly reporter: Reporter;
  /** The group with its version, such as `projectcalico.org/v3`. */
  readonly apiVersion: string;
}

/** The end of a manifest: the uid of its object, and when it was seen. */
interface Ended {
  readonly uid: string;
  readonly atMs: number;
}

/**
 * Keeps what Plat has as the manifests of one kind say. The pools and reservations that it makes bear a mark with the kind and
 * the cluster, and it touches none without this mark. A pool whose manifest is gone assigns nothing more. It writes nothing into
 * the cluster but Events.
 */
export class Declared {
  readonly #options: DeclaredOptions;
  readonly #queue: WorkQueue;
  /** The names that Plat refused, each with the time before which it is not asked again. */
  readonly #refused = new Map<string, number>();
  /** The contents of the manifests that declare something, as text. */
  readonly #said = new Map<string, { readonly uid: string; readonly text: string }>();
  /** The names whose manifest is gone, or declares nothing more, the earliest first. */
  readonly #ended = new Map<string, Ended>();
  #followed: Followed | undefined;
  #isLeading = false;
  #compareAtMs: number;

  constructor(options: DeclaredOptions) {
    this.#options = options;
    this.#queue = new WorkQueue(options.waits);
    this.#compareAtMs = options.waits.now();
  }

  /** The objects that it follows, for the readiness. */
  get what(): string {
    return `${this.#options.kind.kind}s`;
  }

  /** True once all manifests are listed. */
  get isListed(): boolean {
    return this.#followed?.reflector.isListed === true;
  }

  /** The time at which the API server was last heard; nothing before it has the kind. */
  get heardAtMs(): number | undefined {
    return this.#followed?.reflector.heardAtMs;
  }

  /** Follows the manifests until the signal ends it. It first waits for their CRD. */
  async follow(signal: AbortSignal): Promise<void> {
    const { api, waits, log, kind } = this.#options;
    const look = async () => this.#following(await servedOf(api, kind.apiVersions));
    const missing = (error: unknown) =>
      log(`The API server has no ${kind.kind}`, { error: String(error) });
    this.#followed = await onceServed(look, waits, missing, signal);
    await this.#followed?.reflector.run(signal);
  }

  /** Works until the signal ends it, beside `follow`. */
  async run(signal: AbortSignal): Promise<void> {
    const { waits, kind } = this.#options;
    this.#forgetEarly();
    this.#isLeading = true;
    for (const key of [...this.#said.keys(), ...this.#ended.keys()])
      this.#queue.add(key, waits.now());
    while (!signal.aborted) {
      const followed = this.isListed ? this.#followed : undefined;
      if (!followed) {
        await this.#queue.wait(Infinity, signal);
        continue;
      }
      const keys = this.#queue.take(waits.now(), NAMES_PER_ROUND, () => true);
      await inParallel(keys, REQUESTS_AT_ONCE, (key) =>
        this.#work({ kind: kind.kind, key }, followed),
      );
      if (keys.length === 0 && !(await this.#compare(followed)))
        await this.#queue.wait(Math.min(this.#queue.nextDueAtMs, this.#compareAtMs), signal);
    }
  }

  #following(apiVersion: string): Followed {
    const { api, waits, kind } = this.#options;
    const following = {
      path: collectionPath(apiVersion, kind.resource),
      keep: kind.keep,
      present: (object: DeclaredObject) => this.#present(object),
      gone: (object: DeclaredObject) => this.#isOver(keyOf(object)),
      ...watching(kind.resource, this.#options, () => this.#queue.wake()),
    };
    const reporter = new Reporter(api, waits, { apiVersion, kind: kind.kind });
    return { reflector: new Reflector(api, following, waits), reporter, apiVersion };
  }

  #present(object: DeclaredObject): void {
    const { kind } = this.#options;
    const { metadata, spec } = object;
    const key = keyOf(object);
    const { uid, labels, annotations, deletionTimestamp } = metadata;
    const text = JSON.stringify([uid, labels, annotations, deletionTimestamp, spec]);
    // Most changes are of its status.
    if (this.#said.get(key)?.text === text) return;
    if (!kind.declares(object)) {
      this.#isOver(key);
      return;
    }
    this.#said.set(key, { uid, text });
    // The end of an earlier object counts still, unless another replica tells it or the new object has its mark.
    if (this.#ended.get(key)?.uid === uid || !this.#isLeading || kind.noun.marked)
      this.#ended.delete(key);
    this.#changed(key);
  }

  /** Notes that a manifest is gone, or declares nothing more. */
  #isOver(key: string): void {
    const said = this.#said.get(key);
    if (!said) return;
    this.#said.delete(key);
    this.#ended.delete(key);
    this.#ended.set(key, { uid: said.uid, atMs: this.#options.waits.now() });
    this.#forgetEarly();
    this.#changed(key);
  }

  /** Forgets the ends for which there is no room, and those of a follower that the leader has told long since. */
  #forgetEarly(): void {
    const nowMs = this.#options.waits.now();
    for (const [key, { atMs }] of this.#ended) {
      const isLate = !this.#isLeading && nowMs - atMs > FOLLOWED_MS_MAX;
      if (!isLate && this.#ended.size <= ENDS_MAX) return;
      this.#ended.delete(key);
    }
  }

  #changed(key: string): void {
    if (!this.#isLeading) return;
    this.#refused.delete(key);
    this.#queue.add(key, this.#options.waits.now() + GATHER_MS);
    this.#queue.wake();
  }

  /** Gives work to each manifest that differs from what Plat has, and to what lacks its manifest. Returns false if it is not time. */
  async #compare(followed: Followed): Promise<boolean> {
    const { plat, waits, log, kind } = this.#options;
    if (waits.now() < this.#compareAtMs) return false;
    this.#compareAtMs = waits.now() + kind.compareMs;
    const current = new Map<string, Current>();
    try {
      for await (const each of kind.noun.list(plat)) {
        const name = kind.noun.nameOf(each, kind.kind);
        if (name.kind === kind.kind) current.set(name.key, each);
      }
      this.#count("answered");
    } catch (error) {
      this.#count(outcomeOf(error));
      log(`Plat did not list what ${kind.kind}s declare`, { error: String(error) });
      return true;
    }
    for (const key of new Set([...current.keys(), ...followed.reflector.objects.keys()])) {
      const { is } = this.#actOn(key, current.get(key), followed);
      const isEarly = waits.now() < (this.#refused.get(key) ?? 0);
      if (is !== "done" && !isEarly) this.#queue.add(key, waits.now());
    }
    return true;
  }

  /** Brings what Plat has to what its manifest says. */
  async #work(name: DeclaredName, followed: Followed): Promise<void> {
    const { plat, waits, log, kind } = this.#options;
    const { key } = name;
    try {
      const ended = this.#ended.get(key);
      const seen = await found(kind.noun.read(plat, name));
      if (this.#actWithout(key, seen?.body).is === "done") this.#forget(key, ended);
      const act = this.#actOn(key, seen?.body, followed);
      const written = await this.#carryOut(name, act, seen);
      this.#count("answered");
      this.#refused.delete(key);
      if (act.is === "refuse") this.#refuse(key, followed, act.why, act.detail);
      if ("skipped" in act && act.skipped) {
        const skipped = act.skipped.join(", ");
        const detail = `Skipped, because they are neither CIDRs nor addresses: ${skipped}`;
        this.#warn(key, followed, "Rejected", detail);
      }
      if (written && !kind.noun.isWhole(written)) {
        this.#tellRejection(key, followed, written);
        this.#queue.retry(key, waits.now());
        return;
      }
      this.#queue.succeeded(key);
      if (act.is === "delete") this.#forget(key, ended);
      // A deletion follows once the pool assigns nothing, and a new object follows the deletion of an earlier one.
      if (act.is === "put" || (act.is === "delete" && this.#said.has(key)))
        this.#queue.add(key, waits.now());
    } catch (error) {
      this.#count(outcomeOf(error));
      log(`Plat did not take what ${kind.kind} ${key} declares`, { error: String(error) });
      const rejection = error instanceof ApiError && error.code !== OVERTAKEN ? error : undefined;
      if (rejection && rejection.problem.status < OVERLOADED)
        this.#refuse(key, followed, "Rejected", rejection.message, rejection.code);
      if (!rejection || rejection.problem.retryable)
        this.#queue.retry(key, waits.now(), askedMs(error));
    } finally {
      this.#tellRefused(followed);
    }
  }

  /** Forgets an end that Plat knows. Another one may have come meanwhile. */
  #forget(key: string, ended: Ended | undefined): void {
    if (this.#ended.get(key) === ended) this.#ended.delete(key);
  }

  /** Returns what is to be done about a manifest. @param seen what Plat has of it */
  #actOn(key: string, seen: Current | undefined, { reflector, apiVersion }: Followed): Act {
    const { kind } = this.#options;
    const { noun } = kind;
    const object = reflector.objects.get(key);
    // An object that only waits for its finalizers serves nobody new, as in Calico and Spiderpool.
    if (!object || !kind.declares(object) || object.metadata.deletionTimestamp !== undefined)
      return this.#actWithout(key, seen);
    if (this.#ended.has(key) && !noun.marked) {
      const earlier = this.#actWithout(key, seen);
      if (earlier.is !== "done") return earlier;
    }
    const said = orProblem(() => kind.read({ apiVersion, kind: kind.kind, ...object }));
    if (said instanceof Problem) return { is: "refuse", why: "Rejected", detail: said.detail };
    if (seen && !this.#isMarked(seen))
      return {
        is: "refuse",
        why: "NotOwned",
        detail: `Plat has a ${noun.title.toLowerCase()} ${key} that this ${kind.kind} of this cluster did not make; it stays as it is.`,
      };
    const body = this.#marked(keepingUnsaid(kind.unsaid, said.fields, seen));
    const skipped = said.skipped.length > 0 && { skipped: said.skipped };
    return seen && noun.isWhole(seen) && same(noun.fieldsOf(seen), body)
      ? { is: "done", ...skipped }
      : { is: "put", body, ...skipped };
  }

  /** Returns what is to be done about something without a manifest. */
  #actWithout(key: string, seen: Current | undefined): Act {
    const { kind, deletesPools } = this.#options;
    const isOurs = kind.noun.marked ? seen && this.#isMarked(seen) : this.#ended.has(key);
    const left = isOurs && seen && kind.noun.ended(seen, deletesPools);
    if (!left) return DONE;
    return left === "delete" ? { is: "delete" } : { is: "put", body: left };
  }

  /** Carries out an act. Returns what Plat has then, of a PUT. */
  async #carryOut(
    name: DeclaredName,
    act: Act,
    seen: Reply<Current> | undefined,
  ): Promise<Current | undefined> {
    const { plat, kind, log, waits } = this.#options;
    // A pool whose creation was interrupted is created again.
    const version = seen?.body.state === "pending" ? undefined : seen;
    let written: Current | undefined;
    if (act.is === "delete") await kind.noun.remove(plat, name, version);
    else if (act.is === "put") written = (await kind.noun.put(plat, name, version, act.body)).body;
    else return undefined;
    log(`Plat has what ${kind.kind} ${name.key} declares`, { did: act.is });
    // Others may have waited for it: an address moves from one set to another.
    for (const other of this.#refused.keys()) this.#queue.add(other, waits.now());
    return written;
  }

  #isMarked(seen: Current): boolean {
    return same(this.#marked(seen), seen);
  }

  #marked(body: Current): Current {
    const { kind, cluster } = this.#options;
    return kind.noun.marked?.(body, kind.kind, cluster) ?? body;
  }

  /** Notes that a manifest, or the end of one, cannot be carried out now. */
  #refuse(
    key: string,
    followed: Followed,
    why: "NotOwned" | "Rejected",
    detail: string,
    code = why === "NotOwned" ? "not_owned" : "invalid_request",
  ): void {
    const { waits, metrics } = this.#options;
    this.#refused.set(key, waits.now() + REFUSED_AGAIN_MS);
    metrics.add("plat_controller_results_total", { status: "rejected", code });
    this.#warn(key, followed, why, detail);
  }

  /** Says why Plat has not done all of a PUT, if more than another try is needed. */
  #tellRejection(key: string, followed: Followed, written: Current): void {
    const { code, detail } = (written.refusal ?? {}) as { code?: string; detail?: string };
    if (code === undefined) return;
    this.#options.metrics.add("plat_controller_results_total", { status: "incomplete", code });
    this.#warn(key, followed, "Incomplete", detail ?? code);
  }

  #warn(
    key: string,
    { reflector, reporter }: Followed,
    why: "NotOwned" | "Rejected" | "Incomplete",
    detail: string,
  ): void {
    const object = reflector.objects.get(key);
    const { title } = this.#options.kind.noun;
    if (object) void reporter.warn(object, `${title}${why}` as Reason, detail);
  }

  #tellRefused({ reflector }: Followed): void {
    const { metrics, kind } = this.#options;
    const keys = [...this.#refused.keys()].filter((key) => reflector.objects.has(key));
    metrics.set("plat_controller_refused_manifests", keys.length, { kind: kind.kind });
  }

  #count(outcome: string): void {
    this.#options.metrics.add("plat_controller_plat_requests_total", { outcome });
  }
}
