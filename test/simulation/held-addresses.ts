import { CLOCK_SKEW_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { Written } from "../../src/kernel/core/written.ts";
import type { Allocation, Part } from "../../src/kernel/values/allocation.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import { formatAddress } from "../../src/net/address.ts";
import { includesAddress } from "../../src/net/address-set.ts";
import { addressAt, formatCidr } from "../../src/net/cidr.ts";
import {
  type Application,
  type ApplicationName,
  applicationHash,
  type ListedAddress,
  nameOfApplication,
} from "../../src/nouns/application/application.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { addressSetOf } from "../../src/nouns/pool/set.ts";
import { Authors } from "./authors.ts";
import { SPACE } from "./requests.ts";

/** A time in which an application has addresses for its instances, or has none. */
interface Spell {
  readonly hasAddresses: boolean;
  /** An instance whose allocation was written from then on knows of a later spell. */
  untilMs: number;
}

/**
 * Watches every address of applications from step to step (I15). What an application has is held for it, or is one of its
 * instances'. It gets there and leaves in the lawful ways only.
 */
export class HeldAddresses {
  readonly violations: Violation[] = [];
  readonly #authors = new Authors();
  /** By the hash of their names. */
  #applications: ReadonlyMap<string, Application> = new Map();
  #blocks: ReadonlyMap<string, Block> = new Map();
  /** The slots of the last step by address, without unused ones. */
  #slots = new Map<string, Slot>();
  readonly #spells = new Map<string, Spell[]>();
  /** Addresses of an application that its instances reported as conflicts. */
  readonly #reported = new Set<string>();
  /** The first revision of each pool, by its id. */
  readonly #pools = new Map<string, string>();
  /** What instances were seen to get, by token and incarnation. */
  readonly #got = new Set<string>();

  /** Runs a PUT of an application. From the time in its answer on, an instance gets addresses of it, or none. */
  async announcing<T extends Written<Application>>(
    of: ApplicationName,
    put: () => Promise<T | Rejection>,
  ): Promise<T | Rejection> {
    const hash = applicationHash(of);
    const since = this.#spellsOf(hash).length - 1;
    const answer = await put();
    if (answer instanceof Rejection || !answer.value.addresses) return answer;
    const spells = this.#spellsOf(hash);
    const own = spells.findIndex(({ hasAddresses }, n) => n >= since && hasAddresses);
    if (own < 0) this.#violate(`${nameOfApplication(of)} is said to have addresses, and has none`);
    const untilMs = answer.effectiveAtMs + CLOCK_SKEW_MS_MAX;
    for (const spell of spells.slice(0, Math.max(own, 0)))
      spell.untilMs = Math.min(spell.untilMs, untilMs);
    return answer;
  }

  step({ applications, allocations, blocks, pools }: Contents): void {
    const before = this.#applications;
    this.#applications = new Map(
      applications
        .filter(({ space }) => space === SPACE)
        .map((application) => [applicationHash(application), application]),
    );
    this.#authors.step(allocations);
    for (const { id, revision } of pools) if (!this.#pools.has(id)) this.#pools.set(id, revision);
    this.#learn(before);
    for (const allocation of allocations) this.#hearOf(allocation);
    this.#compareBlocks(blocks.filter(({ space }) => space === SPACE));
    for (const [hash, application] of this.#applications) {
      const seen = before.get(hash);
      if (seen !== application)
        this.#compareLists(seen ?? { ...application, listed: [] }, application, pools);
    }
    for (const application of this.#applications.values()) this.#lookAt(application);
  }

  /** Checks at rest that nothing is held for an application that was deleted. */
  rest({ blocks, applications }: Contents): void {
    const going = applications.filter(({ state }) => state === "deleting").map(applicationHash);
    const known = applications.map(applicationHash);
    for (const { cidr, slots } of blocks)
      for (const [ordinal, slot] of slots) {
        if (slot.kind !== "held") continue;
        const hash = slot.applicationHash;
        if (going.includes(hash) || !known.includes(hash))
          this.#violate(
            `${formatAddress(addressAt(cidr, ordinal))} is held at rest, and its application was deleted`,
          );
      }
  }

  /** Learns when applications have addresses. */
  #learn(before: ReadonlyMap<string, Application>): void {
    for (const hash of new Set([...before.keys(), ...this.#applications.keys()])) {
      const now = this.#applications.get(hash);
      const hasAddresses = now?.addresses !== undefined && now.state !== "deleting";
      const spells = this.#spellsOf(hash);
      if (spells.at(-1)?.hasAddresses !== hasAddresses)
        spells.push({ hasAddresses, untilMs: Number.POSITIVE_INFINITY });
    }
  }

  #spellsOf(hash: string): Spell[] {
    const spells = this.#spells.get(hash) ?? [
      { hasAddresses: false, untilMs: Number.POSITIVE_INFINITY },
    ];
    this.#spells.set(hash, spells);
    return spells;
  }

  /** Checks what an instance gets under an incarnation: addresses of its application, or others if that has none. */
  #hearOf({ state, workload, parts, atMs, handle }: Allocation): void {
    if (!workload || state === "aborted" || state === "released") return;
    const spells = this.#spells.get(applicationHash(workload)) ?? [];
    for (const { token, ofApplication } of parts) {
      const name = `${token} ${workload.incarnation}`;
      if (this.#got.has(name)) continue;
      this.#got.add(name);
      if (ofApplication || spells.length === 0) continue;
      if (!spells.some(({ hasAddresses, untilMs }) => !hasAddresses && atMs < untilMs))
        this.#violate(`${handle} gets addresses that are not its application's`);
    }
  }

  #compareBlocks(blocks: readonly Block[]): void {
    const after = new Map(blocks.map((block) => [formatCidr(block.cidr), block]));
    for (const [name, block] of this.#blocks)
      if (!after.has(name)) this.#compareSlots({ ...block, slots: new Map() }, block);
    for (const [name, block] of after) {
      const before = this.#blocks.get(name);
      if (before !== block) this.#compareSlots(block, before);
    }
    this.#blocks = after;
  }

  #compareSlots({ cidr, slots }: Pick<Block, "cidr" | "slots">, before: Block | undefined): void {
    for (const ordinal of new Set([...(before?.slots.keys() ?? []), ...slots.keys()])) {
      const address = formatAddress(addressAt(cidr, ordinal));
      const slot = slots.get(ordinal);
      this.#compare(address, before?.slots.get(ordinal), slot);
      if (slot) this.#slots.set(address, slot);
      else this.#slots.delete(address);
    }
  }

  /** Checks one change of a slot. */
  #compare(address: string, before: Slot | undefined, after: Slot | undefined): void {
    const had = this.#ownerOf(before);
    const has = this.#ownerOf(after);
    const isTaken = after?.kind === "taken";
    if (had === undefined) {
      if (has !== undefined && isTaken)
        this.#violate(`${address} is taken from an application that did not hold it`);
      return;
    }
    const what = `${address} of ${this.#nameOf(had)}`;
    if (before?.kind === "held") {
      const listed = this.#listed(had, address);
      const isLetGo = after?.kind === "cooling" && listed?.state === "leaving";
      if (has !== had && !isLetGo) this.#violate(`${what} was held, and is ${kindOf(after)}`);
    } else if (isTaken || after?.kind !== "held" || has !== had) {
      if (after?.kind === "quarantined") this.#reported.add(`${had} ${address}`);
      else if (!isSame(before, after)) this.#violate(`${what} was freed, and is ${kindOf(after)}`);
    } else this.#reported.delete(`${had} ${address}`);
  }

  /** Returns the hash of the application that a slot is held for, or whose instance took it from it. */
  #ownerOf(slot: Slot | undefined): string | undefined {
    if (slot?.kind === "held") return slot.applicationHash;
    if (slot?.kind !== "taken") return undefined;
    const owner = this.#authors.of(slot.token);
    const { workload } = owner?.allocation ?? {};
    const part: Part | undefined = owner?.part;
    return workload && part?.ofApplication ? applicationHash(workload) : undefined;
  }

  /** Checks that what an application has is held for it, or one of its instances'. */
  #lookAt(application: Application): void {
    const hash = applicationHash(application);
    for (const { address, state } of application.listed) {
      if (state !== "in") continue;
      const text = formatAddress(address);
      const slot = this.#slots.get(text);
      if (this.#ownerOf(slot) === hash || this.#reported.has(`${hash} ${text}`)) continue;
      this.#violate(`${nameOfApplication(application)} lists ${text}, which is ${kindOf(slot)}`);
    }
  }

  /** Checks which addresses an application gets and loses in one write of its item. */
  #compareLists(before: Application, after: Application, pools: readonly Pool[]): void {
    const name = nameOfApplication(after);
    const targets = [...before.listed, ...after.listed].map(targetOf);
    for (const target of new Set(targets)) {
      const own = (application: Application) =>
        application.listed.filter((each) => targetOf(each) === target && each.state !== "leaving");
      const [had, has] = [own(before), own(after)];
      const hadAlready = new Set(had.map(textOf));
      const isKept = new Set(has.map(textOf));
      const wanted = wantedBy(after, target);
      if (has.length > wanted && has.some((each) => !hadAlready.has(textOf(each))))
        this.#violate(`${name} gets more than its ${wanted} addresses`);
      const lost = had.filter(
        (each) =>
          each.state === "in" && !isKept.has(textOf(each)) && this.#mayStay(after, each, pools),
      );
      if (lost.length > Math.max(0, had.length - wanted))
        this.#violate(`${name} loses ${lost.map(textOf).join(" ")}, and wants ${wanted}`);
    }
  }

  /** Returns true if nothing takes an address from its application: neither its pool, nor a conflict. */
  #mayStay(
    after: Application,
    { address, poolId, interface: of }: ListedAddress,
    pools: readonly Pool[],
  ): boolean {
    const hash = applicationHash(after);
    const text = formatAddress(address);
    const pool = pools.find(({ id }) => id === poolId);
    const isNamed = after.targets.some(
      (each) => each.interface === of && each.poolIds.includes(poolId),
    );
    const isSteady = pool !== undefined && pool.revision === this.#pools.get(poolId);
    const isReported = this.#reported.has(`${hash} ${text}`);
    return isNamed && isSteady && includesAddress(addressSetOf(pool), address) && !isReported;
  }

  #listed(hash: string, text: string): ListedAddress | undefined {
    return this.#applications.get(hash)?.listed.find((each) => textOf(each) === text);
  }

  #nameOf(hash: string): string {
    const application = this.#applications.get(hash);
    return application ? nameOfApplication(application) : "an application that is gone";
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I15", message });
  }
}

/** Returns how many addresses an application may have in an interface and family. A retained one keeps what it has. */
function wantedBy({ state, addresses, replicas, targets }: Application, target: string): number {
  if (state === "retained") return Number.POSITIVE_INFINITY;
  const isTarget = targets.some((each) => `${each.interface}/${each.family}` === target);
  if (state === "deleting" || !addresses || !isTarget) return 0;
  const { number } = addresses;
  return number.startsWith("+") ? replicas + Number(number) : Number(number);
}

const targetOf = ({ interface: of, address }: ListedAddress): string => `${of}/${address.family}`;
const textOf = ({ address }: ListedAddress): string => formatAddress(address);
const kindOf = (slot: Slot | undefined): string => slot?.kind ?? "unused";
const isSame = (a: Slot | undefined, b: Slot | undefined): boolean =>
  a?.kind === "taken" && b?.kind === "taken" && a.token === b.token;
