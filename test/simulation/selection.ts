import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import { namedPrincipal } from "../../src/base/principal.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import { type AssignRequest, interfacesOf } from "../../src/kernel/assign/assignment.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import { poolOfPart } from "../../src/kernel/values/allocation.ts";
import { affinityTypeOf, machineName } from "../../src/kernel/values/host.ts";
import type { Labels } from "../../src/net/labels.ts";
import { matches } from "../../src/net/selector-match.ts";
import type { DefaultPools } from "../../src/nouns/namespace/namespace.ts";
import { isRanged, narrows, type PoolSelector } from "../../src/nouns/pool/pool.ts";
import { isMeant, poolsNamed } from "../../src/selection/acquire-pools.ts";
import { Authors } from "./authors.ts";
import type { Scenario } from "./scenario.ts";

/** The judge's knowledge about a host or a namespace. */
interface Current {
  labels: Labels | undefined;
  /** The time from which these labels apply to allocations. */
  fromMs: number;
  /**
   * Changes that are in progress or cut off, so that they may land at any time; and the number of
   * all changes so far.
   */
  underWay: number;
  begun: number;
}

/** A namespace that no operator changes, so that its default pools are known at any time. */
export const DEPOT = "depot";

export const hostNamed = (name: string) => `host:${name}`;
export const namespaceNamed = (name: string) => `namespace:${name}`;

/**
 * Watches every slot when it is taken (I12). A pool with principals serves no other caller. If a request names neither its pools nor its address,
 * its pool must select its host and its namespace. A ranged pool must do so for every request. If hosts must be registered, an unregistered
 * host must not get an address. Labels in a request apply to it alone. An operator's change of
 * labels applies to allocations that were written from its `effectiveAt` on.
 */
export class Selection {
  readonly violations: Violation[] = [];
  readonly #scenario: Pick<Scenario, "pools" | "settings">;
  readonly #requests: ReadonlyMap<string, AssignRequest>;
  readonly #authors = new Authors();
  readonly #known = new Set<string>();
  readonly #lastSeen = new Map<string, Current>();

  readonly #depotPools: DefaultPools | undefined;

  /**
   * @param depotPools the default pools of `DEPOT`, which never change
   * @param labels the labels of all hosts and namespaces that are registered at the start of the
   * run
   */
  constructor(
    scenario: Pick<Scenario, "pools" | "settings">,
    requests: readonly AssignRequest[],
    labels: ReadonlyMap<string, Labels>,
    depotPools?: DefaultPools,
  ) {
    this.#depotPools = depotPools;
    this.#scenario = scenario;
    this.#requests = new Map(requests.map((request) => [request.digest, request]));
    for (const [who, of] of labels) this.#current(who).labels = of;
  }

  /**
   * Records an operator's change or removal of labels. It applies from the time in its answer on,
   * and not before.
   */
  async labelling<T>(
    who: string,
    labels: Labels | undefined,
    change: () => Promise<Written<T> | Rejection>,
  ): Promise<Written<T> | Rejection> {
    const current = this.#current(who);
    current.fromMs = Number.POSITIVE_INFINITY;
    const begins = current.underWay === 0;
    current.underWay++;
    const begun = ++current.begun;
    const answer = await change();
    current.underWay--;
    // The order of parallel writes is unknown, whatever the order of their answers.
    const isAlone = begins && current.begun === begun;
    // A rejection does not prove that nothing was done: after a double delivery the author gets the
    // second outcome.
    if (!(answer instanceof Rejection) && isAlone) {
      current.labels = labels;
      current.fromMs = answer.effectiveAtMs + CLOCK_SKEW_MS_MAX;
    }
    return answer;
  }

  step({ blocks, allocations }: Contents): void {
    this.#authors.step(allocations);
    for (const block of blocks) {
      for (const slot of block.slots.values()) {
        if (slot.kind !== "taken" || this.#known.has(slot.token)) continue;
        this.#known.add(slot.token);
        const owner = this.#authors.of(slot.token);
        const request = owner && this.#requests.get(owner.allocation.digest);
        if (!request) continue;
        const { part, atMs } = owner;
        const asked =
          interfacesOf(request).find((one) => one.interface === part.interface) ?? request;
        // An instance comes to any host with the same request.
        const { host } = owner.allocation;
        // The pools of an application serve its instances, whatever they ask for.
        const pool = part.ofApplication ? undefined : poolOfPart(part, block);
        this.#judge(pool, { ...asked, host }, atMs);
      }
    }
  }

  #judge(name: string | undefined, request: AssignRequest, atMs: number): void {
    const { host, namespace, addresses, use, hostLabels, namespaceLabels } = request;
    const { settings } = this.#scenario;
    const isUnknown = this.#is(host, atMs, (labels) => labels === undefined);
    const isMachine = use !== "LoadBalancer" && affinityTypeOf(host) === "host";
    if (settings.requireRegisteredHosts && isMachine && (isUnknown || hostLabels))
      this.#violate(
        `${host}, which is not registered, took a slot in pool ${name ?? "of its application"}`,
      );
    const pool = this.#scenario.pools.find((one) => one.name === name);
    if (!pool) return;
    const named = poolsNamed(request, pool.cidr.family);
    if (named && !isMeant(pool, named))
      this.#violate(`a request that names ${named.join(", ")} took a slot in pool ${name}`);
    const caller = request.assignedBy && namedPrincipal(request.assignedBy);
    if (pool.principals && isMissing(pool.principals, caller))
      this.#violate(`${caller} took a slot in pool ${name}, which does not serve it`);
    const isNamed = addresses !== undefined || named !== undefined;
    if (isNamed && !isRanged(pool)) return;
    const defaults = this.#depotPools ?? [];
    const ofFamily = "length" in defaults ? defaults : defaults[pool.cidr.family];
    const isDefault = isNamed || namespace !== DEPOT || isMeant(pool, ofFamily);
    if (this.#depotPools && !isDefault)
      this.#violate(
        `a workload of ${namespace} took a slot in pool ${name}, no default pool of it`,
      );
    const { nodeNames, namespaceNames, networks } = pool;
    const isLeft = isLeftOut(pool.nodeSelector);
    const isHostLeft = nodeNames
      ? isMissing(nodeNames, machineName(host))
      : hostLabels
        ? isLeft(hostLabels)
        : this.#is(host, atMs, isLeft);
    if (isHostLeft) this.#violate(`${host} took a slot in pool ${name}, which does not select it`);
    const isWithout = isLeftOut(pool.namespaceSelector);
    const isNamespaceLeft = namespaceNames
      ? isMissing(namespaceNames, namespace)
      : namespaceLabels || namespace === undefined
        ? isWithout(namespaceLabels)
        : this.#is(namespaceNamed(namespace), atMs, isWithout);
    if (isNamespaceLeft)
      this.#violate(`a workload of ${namespace} took a slot in pool ${name}, which leaves it out`);
    if (isLeftOut(pool.podSelector)(request.labels))
      this.#violate(`a workload took a slot in pool ${name}, which does not select it`);
    if (networks && isMissing(networks, request.network))
      this.#violate(`network ${request.network} took a slot in pool ${name}, which leaves it out`);
  }

  /** Returns true if the fact can hold for the labels, for an allocation of that time. */
  #is(who: string, atMs: number, fact: (labels: Labels | undefined) => boolean): boolean {
    const { labels, fromMs } = this.#current(who);
    return atMs >= fromMs && fact(labels);
  }

  #current(who: string): Current {
    const known = this.#lastSeen.get(who);
    if (known) return known;
    const current: Current = {
      labels: undefined,
      fromMs: Number.NEGATIVE_INFINITY,
      underWay: 0,
      begun: 0,
    };
    this.#lastSeen.set(who, current);
    return current;
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I12", message });
  }
}

const isMissing = (names: readonly string[], name: string | undefined): boolean =>
  name === undefined || !names.includes(name);

const isLeftOut =
  (by: PoolSelector | undefined) =>
  (labels: Labels | undefined): boolean =>
    narrows(by) && !matches(by.selector, labels ?? {});
