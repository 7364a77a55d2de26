import { orProblem, Problem } from "../api/schema/problem.ts";
import { same } from "../base/same.ts";
import { ApiError, found, type Reply } from "../client/index.ts";
import { keepingUnsaid } from "../contract/manifest-fields.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { type DeclaredKind, type DeclaredObject, keptManifest } from "./declared-kinds.ts";
import { type Current, type DeclaringCalls, fieldsOf } from "./declared-nouns.ts";
import { Reflector } from "./kube/reflector.ts";
import { Reporter } from "./kube/reporter.ts";
import { onceServed, servedOf } from "./kube/served.ts";
import { outcomeOf, watching } from "./metrics.ts";
import type { Surroundings } from "./surroundings.ts";
import { askedMs, GATHER_MS, WorkQueue } from "./work-queue.ts";

const REQUESTS_AT_ONCE = 4;
/** Manifests in one round of work. */
const NAMES_PER_ROUND = 64;
/** The time after which all that Plat has is compared with all manifests: somebody may have changed it. */
const COMPARE_MS = 60_000;
/** The wait before Plat is asked again for what only a change elsewhere can make possible. */
const REFUSED_AGAIN_MS = 5 * 60_000;
/** The least status of an answer that is about the state of Plat, and about no manifest. */
const OVERLOADED = 429;
/** The code of a write that another one has overtaken. */
const OVERTAKEN = "precondition_failed";

/** The surroundings of the work on manifests of a kind. */
export interface DeclaredOptions extends Surroundings<DeclaringCalls> {
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

/**
 * Keeps pools or reservations of Plat as the manifests of one kind say. What it makes bears a mark with the kind and the
 * cluster, and it touches nothing without this mark. A pool whose manifest is gone assigns nothing more. It writes nothing
 * into the cluster but Events.
 */
export class Declared {
  readonly #options: DeclaredOptions;
  readonly #queue: WorkQueue;
  /** The names that Plat refused, each with the time before which it is not asked again. */
  readonly #refused = new Map<string, number>();
  #followed: Followed | undefined;
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
    const { waits } = this.#options;
    while (!signal.aborted) {
      const followed = this.isListed ? this.#followed : undefined;
      if (!followed) {
        await this.#queue.wait(Infinity, signal);
        continue;
      }
      const names = this.#queue.take(waits.now(), NAMES_PER_ROUND, () => true);
      await inParallel(names, REQUESTS_AT_ONCE, (name) => this.#work(name, followed));
      if (names.length === 0 && !(await this.#compare(followed)))
        await this.#queue.wait(Math.min(this.#queue.nextDueAtMs, this.#compareAtMs), signal);
    }
  }

  #following(apiVersion: string): Followed {
    const { api, waits, kind } = this.#options;
    const changed = ({ metadata: { name } }: DeclaredObject) => {
      this.#refused.delete(name);
      this.#queue.add(name, waits.now() + GATHER_MS);
      this.#queue.wake();
    };
    const following = {
      path: `/apis/${apiVersion}/${kind.resource}`,
      keep: keptManifest,
      present: changed,
      gone: changed,
      ...watching(kind.resource, this.#options, () => this.#queue.wake()),
    };
    const reporter = new Reporter(api, waits, { apiVersion, kind: kind.kind });
    return { reflector: new Reflector(api, following, waits), reporter, apiVersion };
  }

  /** Gives work to each name whose manifest and whose object in Plat differ. Returns false if it is not time. */
  async #compare(followed: Followed): Promise<boolean> {
    const { plat, waits, log, kind } = this.#options;
    if (waits.now() < this.#compareAtMs) return false;
    this.#compareAtMs = waits.now() + COMPARE_MS;
    const current = new Map<string, Current>();
    try {
      for await (const each of kind.noun.list(plat)) current.set(String(each.name), each);
      this.#count("answered");
    } catch (error) {
      this.#count(outcomeOf(error));
      log(`Plat did not list what ${kind.kind}s declare`, { error: String(error) });
      return true;
    }
    for (const name of new Set([...current.keys(), ...followed.reflector.objects.keys()])) {
      const { is } = this.#actOn(name, current.get(name), followed);
      const isEarly = waits.now() < (this.#refused.get(name) ?? 0);
      if (is !== "done" && !isEarly) this.#queue.add(name, waits.now());
    }
    return true;
  }

  /** Brings what Plat has under a name to what its manifest says. */
  async #work(name: string, followed: Followed): Promise<void> {
    const { plat, waits, log, kind } = this.#options;
    try {
      const seen = await found(kind.noun.read(plat, name));
      const act = this.#actOn(name, seen?.body, followed);
      if (act.is === "put" || act.is === "delete") await this.#carryOut(name, act, seen);
      this.#count("answered");
      this.#queue.succeeded(name);
      this.#refused.delete(name);
      if (act.is === "refuse") this.#refuse(name, followed, act.why, act.detail);
      // A deletion follows once the pool assigns nothing.
      if (act.is === "put") this.#queue.add(name, waits.now());
      if ("skipped" in act && act.skipped)
        this.#warn(
          name,
          followed,
          "Rejected",
          `Skipped, because they are neither CIDRs nor addresses: ${act.skipped.join(", ")}`,
        );
    } catch (error) {
      this.#count(outcomeOf(error));
      log(`Plat did not take what ${kind.kind} ${name} declares`, { error: String(error) });
      const rejection = error instanceof ApiError && error.code !== OVERTAKEN ? error : undefined;
      if (rejection && rejection.problem.status < OVERLOADED)
        this.#refuse(name, followed, "Rejected", rejection.message, rejection.code);
      if (!rejection || rejection.problem.retryable)
        this.#queue.retry(name, waits.now(), askedMs(error));
    } finally {
      this.#tellRefused(followed);
    }
  }

  /** Returns what is to be done about a name. @param seen what Plat has under it */
  #actOn(name: string, seen: Current | undefined, { reflector, apiVersion }: Followed): Act {
    const { kind } = this.#options;
    const object = reflector.objects.get(name);
    if (!object || kind.isMade(object)) return this.#actWithout(seen);
    const { spec, metadata } = object;
    const manifest = { apiVersion, kind: kind.kind, metadata: { name }, spec };
    const said = orProblem(() => kind.read(manifest));
    if (said instanceof Problem) return { is: "refuse", why: "Rejected", detail: said.detail };
    // An object that only waits for its finalizers serves nobody new, as in Calico and Spiderpool.
    if (metadata.deletionTimestamp !== undefined || !said) return this.#actWithout(seen);
    if (seen && !this.#isMarked(seen))
      return {
        is: "refuse",
        why: "NotOwned",
        detail: `Plat has a ${kind.noun.title.toLowerCase()} ${name} that this ${kind.kind} of this cluster did not make; it stays as it is.`,
      };
    const body = this.#marked(keepingUnsaid(kind.unsaid, said.fields, seen));
    const skipped = said.skipped.length > 0 && { skipped: said.skipped };
    return seen && same(fieldsOf(seen), body)
      ? { is: "done", ...skipped }
      : { is: "put", body, ...skipped };
  }

  /** Returns what is to be done about something without a manifest. */
  #actWithout(seen: Current | undefined): Act {
    const { kind, deletesPools } = this.#options;
    const left = seen && this.#isMarked(seen) && kind.noun.ended(seen, deletesPools);
    if (!left) return DONE;
    return left === "delete" ? { is: "delete" } : { is: "put", body: left };
  }

  async #carryOut(
    name: string,
    act: Exclude<Act, { readonly is: "done" | "refuse" }>,
    seen: Reply<Current> | undefined,
  ): Promise<void> {
    const { plat, kind, log } = this.#options;
    // A pool whose creation was interrupted is created again.
    const version = seen?.body.state === "pending" ? undefined : seen;
    if (act.is === "delete") await kind.noun.remove(plat, name, version);
    else await kind.noun.put(plat, name, version, act.body);
    log(`Plat has what ${kind.kind} ${name} declares`, { did: act.is });
    // Others may have waited for it: an address moves from one set to another.
    for (const other of this.#refused.keys()) this.#queue.add(other, this.#options.waits.now());
  }

  #isMarked(seen: Current): boolean {
    return same(this.#marked(seen), seen);
  }

  #marked(body: Current): Current {
    const { kind, cluster } = this.#options;
    return kind.noun.marked(body, kind.kind, cluster);
  }

  /** Notes that a manifest, or the end of one, cannot be carried out now. */
  #refuse(
    name: string,
    followed: Followed,
    why: "NotOwned" | "Rejected",
    detail: string,
    code = why === "NotOwned" ? "not_owned" : "invalid_request",
  ): void {
    const { waits, metrics } = this.#options;
    this.#refused.set(name, waits.now() + REFUSED_AGAIN_MS);
    metrics.add("plat_controller_results_total", { status: "rejected", code });
    this.#warn(name, followed, why, detail);
  }

  #warn(
    name: string,
    { reflector, reporter }: Followed,
    why: "NotOwned" | "Rejected",
    detail: string,
  ): void {
    const object = reflector.objects.get(name);
    const { title } = this.#options.kind.noun;
    if (object) void reporter.warn(object, `${title}${why}`, detail);
  }

  #tellRefused({ reflector }: Followed): void {
    const { metrics, kind } = this.#options;
    const names = [...this.#refused.keys()].filter((name) => reflector.objects.has(name));
    metrics.set("plat_controller_refused_manifests", names.length, { kind: kind.kind });
  }

  #count(outcome: string): void {
    this.#options.metrics.add("plat_controller_plat_requests_total", { outcome });
  }
}
