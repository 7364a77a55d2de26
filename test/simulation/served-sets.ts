import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import { formatAddress } from "../../src/net/address.ts";
import { type AddressSet, includesAddress, NO_ADDRESSES } from "../../src/net/address-set.ts";
import { addressAt } from "../../src/net/cidr.ts";
import type { Accepted } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { isRanged, type Pool, serves } from "../../src/nouns/pool/pool.ts";
import { addressSetOf } from "../../src/nouns/pool/set.ts";
import { Authors } from "./authors.ts";
import type { Outlasting } from "./outlasting.ts";
import { SPACE } from "./requests.ts";

/** What a pool served while its item had one revision. */
interface Version {
  /** Absent if there was no such pool. */
  readonly revision: string | undefined;
  readonly set: AddressSet;
  /** An allocation that was written from then on must follow a later version. */
  untilMs: number;
}

/**
 * Watches every address when it is taken for a ranged pool (I13). The table says which sets the pool served, one after the
 * other. The answer to an operator says from when on none before the operator's own counts.
 */
export class ServedSets {
  readonly violations: Violation[] = [];
  readonly #outlasting: Pick<Outlasting, "has">;
  readonly #authors = new Authors();
  readonly #known = new Set<string>();
  readonly #looked = new WeakSet<Block>();
  readonly #versions = new Map<string, Version[]>();

  constructor(outlasting: Pick<Outlasting, "has">) {
    this.#outlasting = outlasting;
  }

  /** Runs an operator's change of a pool. From the time in its answer on, nobody is served as before the change. */
  async announcing<T extends Written<Pool> | Accepted>(
    name: string,
    change: () => Promise<T | Rejection>,
  ): Promise<T | Rejection> {
    const since = Math.max(this.#versionsOf(name).length - 1, 0);
    const answer = await change();
    if (answer instanceof Rejection) return answer;
    const versions = this.#versionsOf(name);
    const own =
      "job" in answer
        ? versions.findIndex(({ set }, n) => n >= since && set.length === 0)
        : versions.findIndex(({ revision }) => revision === answer.value.revision);
    if (own < 0) this.#violate(`pool ${name} is said to have changed, and served as before`);
    const untilMs = answer.effectiveAtMs + CLOCK_SKEW_MS_MAX;
    for (const version of versions.slice(0, Math.max(own, 0)))
      version.untilMs = Math.min(version.untilMs, untilMs);
    return answer;
  }

  step({ pools, blocks, allocations }: Contents): void {
    this.#authors.step(allocations);
    this.#learn(pools.filter((pool) => pool.space === SPACE && isRanged(pool)));
    for (const block of blocks) {
      if (this.#looked.has(block)) continue;
      this.#looked.add(block);
      this.#look(block);
    }
  }

  #learn(pools: readonly Pool[]): void {
    for (const pool of pools) {
      const set = serves(pool) ? addressSetOf(pool) : NO_ADDRESSES;
      this.#add(pool.name, { revision: pool.revision, set });
    }
    for (const name of this.#versions.keys())
      if (!pools.some((pool) => pool.name === name))
        this.#add(name, { revision: undefined, set: NO_ADDRESSES });
  }

  #add(name: string, version: Omit<Version, "untilMs">): void {
    const versions = this.#versionsOf(name);
    if (versions.length > 0 && versions.at(-1)?.revision === version.revision) return;
    versions.push({ ...version, untilMs: Number.POSITIVE_INFINITY });
  }

  #versionsOf(name: string): Version[] {
    const versions = this.#versions.get(name) ?? [];
    this.#versions.set(name, versions);
    return versions;
  }

  #look({ cidr, slots }: Block): void {
    for (const [ordinal, slot] of slots) {
      if (slot.kind !== "taken") continue;
      const taken = `${slot.token} ${ordinal}`;
      if (this.#known.has(taken)) continue;
      this.#known.add(taken);
      const owner = this.#authors.of(slot.token);
      const pool = owner?.part.pool;
      // What a pool refuses from then on does not concern the addresses that it gave to an application before.
      if (!owner || pool === undefined || owner.part.ofApplication) continue;
      const address = addressAt(cidr, ordinal);
      const isServed = this.#versionsOf(pool).some(
        ({ set, untilMs }) => owner.atMs < untilMs && includesAddress(set, address),
      );
      if (!isServed && !this.#outlasting.has(slot.token))
        this.#violate(
          `${formatAddress(address)} was taken for pool ${pool}, which did not serve it`,
        );
    }
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I13", message });
  }
}
