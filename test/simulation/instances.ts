import { Rejection, type RejectionCode } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { type Allocation, isHolding } from "../../src/kernel/values/allocation.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt, contains, sizeOf } from "../../src/net/cidr.ts";
import {
  type ApplicationName,
  mayKeep,
  nameOfApplication,
} from "../../src/nouns/application/application.ts";
import { type Instance, isKeptKind } from "../../src/nouns/application/workload.ts";
import type { Scenario } from "./scenario.ts";

/** The time in which the allocation of an instance did not change in what its callers are told of. */
interface Spell {
  readonly uid: string;
  readonly incarnation: string;
  readonly state: Allocation["state"];
  readonly host: HostId;
  until: number;
}

/** The allocation of an instance as it was seen last. */
interface Seen {
  readonly allocation: Allocation & { readonly workload: Instance };
  /** The addresses that it had then, with their tokens. */
  held: readonly (readonly [address: string, token: string])[];
  /** True if it had all its slots at some moment. */
  isWhole: boolean;
  /** The moment of its last change. */
  readonly since: number;
}

/** A request of an instance, as its caller sends it. */
export type Coming = AssignRequest & { readonly workload: { readonly uid: string } };

/** What the judge must know of the run, and whom it tells. */
interface World {
  readonly scenario: Pick<Scenario, "pools" | "fleeting">;
  /** True if the instances have applications, which change what fits a request, and who keeps addresses. */
  readonly hasApplications?: boolean;
  /** Returns true if a host may be bound to its own blocks by now. */
  isStrict(): boolean;
  /** Called for each address that an instance gave back in a way that it may. */
  onEnd(address: string, token: string): void;
}

const FOR_WANT_OF_ROOM: readonly RejectionCode[] = [
  "pool_exhausted",
  "block_limit",
  "strict_affinity",
  "no_pool_available",
];

/**
 * Watches the allocation of every instance from step to step (I14). Each change of it needs a request that has begun, and that names
 * the incarnation which is changed. As long as it holds, its slots stay, whoever is told of them.
 */
export class Instances {
  readonly violations: Violation[] = [];
  /** The number of writes seen so far. */
  moment = 0;
  readonly #isStable: (allocation: Allocation) => boolean;
  readonly #onEnd: World["onEnd"];
  readonly #seen = new Map<string, Seen>();
  readonly #spells = new Map<string, Spell[]>();
  readonly #incarnations = new Set<string>();
  /** The releases that have begun, by what they name. */
  readonly #begun = new Set<string>();
  /** The requests of each instance that have begun; one that got its addresses is over. */
  readonly #coming = new Map<string, Set<Coming>>();
  /** The instances that had no replica at some moment: their application may end what they keep. */
  readonly #lost = new Set<string>();

  constructor({ scenario: { pools, fleeting }, hasApplications = false, isStrict, onEnd }: World) {
    this.#onEnd = onEnd;
    const steady = pools.filter(({ name, ranges }) => !ranges && !fleeting.includes(name));
    this.#isStable = ({ parts }) =>
      !isStrict() &&
      !hasApplications &&
      parts.every(({ block }) => steady.some(({ cidr }) => contains(cidr, addressAt(block, 0))));
  }

  /** Records the start of a release that keeps what an incarnation has: it names its uid or itself. */
  keeping(handle: string, incarnation: string): void {
    this.#begun.add(`keep ${handle} ${incarnation}`);
  }

  /** Records the start of a final release: it names an incarnation by its uid or by itself, or all of them. */
  ending(handle: string, incarnation = ANY): void {
    this.#begun.add(`end ${handle} ${incarnation}`);
  }

  /** Records the start of a release that names the address alone: it ends the assignment that the address has by then. */
  endingAt(address: string): void {
    this.#begun.add(`end ${address}`);
  }

  /** Records the start of a release of all that a host has. */
  leaving(host: HostId): void {
    this.#begun.add(`leave ${host}`);
  }

  /** Runs a request of an instance. Its answer must have been true at some moment since it began. */
  async coming<T extends { readonly addresses: readonly unknown[] }>(
    request: Coming,
    assign: () => Promise<T | Rejection>,
  ): Promise<T | Rejection> {
    const { handle } = request;
    const under = this.#coming.get(handle) ?? new Set();
    this.#coming.set(handle, under.add(request));
    const before = this.#seen.get(handle);
    const answer = await assign();
    if (!(answer instanceof Rejection)) under.delete(request);
    else if (FOR_WANT_OF_ROOM.includes(answer.code) && before?.isWhole) {
      const isSame = this.#seen.get(handle) === before;
      if (isSame && isHolding(before.allocation) && !this.#mayBeEndedBy(before.allocation, request))
        this.#violate(`${handle} has its addresses, and was rejected (${answer.code})`);
    }
    return answer;
  }

  /** Checks that an incarnation that an answer names had the addresses on the host at some moment since the request. */
  hearCome({ handle, host, workload: { uid } }: Coming, incarnation: string, since: number): void {
    const isTrue = this.#spellsOf(handle).some(
      (spell) =>
        spell.state === "live" &&
        spell.uid === uid &&
        spell.host === host &&
        spell.incarnation === incarnation &&
        spell.until > since,
    );
    if (!isTrue) this.#violate(`${uid} was told of ${incarnation} on ${host}, which it was not`);
  }

  /** Checks that the addresses of the uid waited for its next incarnation at some moment since the request. */
  hearKept(handle: string, uid: string, since: number): void {
    const isTrue = this.#spellsOf(handle).some(
      (spell) => spell.state === "kept" && spell.uid === uid && spell.until > since,
    );
    if (!isTrue) this.#violate(`${uid} was told that its addresses are kept, and they were not`);
  }

  step({ allocations, applications, blocks }: Contents): void {
    this.moment++;
    const current = new Map<string, Allocation & { readonly workload: Instance }>();
    for (const each of allocations)
      if (each.workload) current.set(each.handle, each as Seen["allocation"]);
    for (const { handle, workload } of current.values()) {
      const own = applications.find((each) => isSameApplication(each, workload));
      if (!mayKeep(own, workload)) this.#lost.add(handle);
    }
    for (const handle of new Set([...this.#seen.keys(), ...current.keys()])) {
      const before = this.#seen.get(handle);
      const allocation = current.get(handle);
      if (before?.isWhole) this.#compare(before, allocation);
      else if (before && !(allocation && isHolding(allocation))) this.#giveUp(before);
      if (!allocation) {
        this.#seen.delete(handle);
        this.#endSpell(handle);
        continue;
      }
      const isSame = before?.allocation.revision === allocation.revision;
      const goesOn = before?.allocation.parts[0]?.token === allocation.parts[0]?.token;
      const seen: Seen = isSame
        ? before
        : { allocation, held: [], isWhole: goesOn && before?.isWhole === true, since: this.moment };
      this.#seen.set(handle, seen);
      if (!isSame) this.#spell(allocation);
      this.#count(seen, blocks);
    }
  }

  /**
   * Ends an allocation before its author took its slots. What the author still takes goes with it, whoever is told of that. The author
   * may take other slots of the block than it planned.
   */
  #giveUp({ allocation: { parts } }: Seen): void {
    for (const { token, block } of parts)
      for (let ordinal = 0; ordinal < sizeOf(block); ordinal++)
        this.#onEnd(formatAddress(addressAt(block, ordinal)), token);
  }

  /** Counts the slots of an allocation. Once it had all of them, none may go as long as it holds. */
  #count(seen: Seen, blocks: Contents["blocks"]): void {
    const { handle, want, released } = seen.allocation;
    if (!isHolding(seen.allocation)) return;
    seen.held = takenUnder(seen.allocation, blocks);
    const { length } = seen.held;
    if (length >= want) seen.isWhole = true;
    if (seen.isWhole && length + released.size < want)
      this.#violate(`${handle} has ${length} of its ${want} addresses`);
  }

  /** Checks a change of an allocation that had all its slots. */
  #compare({ allocation: before, held }: Seen, after: Seen["allocation"] | undefined): void {
    if (!isHolding(before) || after?.revision === before.revision) return;
    const { handle, workload, host } = before;
    const named = [workload.uid, workload.incarnation];
    const isEnded =
      [...named, ANY].some((name) => this.#begun.has(`end ${handle} ${name}`)) ||
      held.some(([address]) => this.#begun.has(`end ${address}`));
    if (!after || !isHolding(after)) {
      const isGivenUp = !isKeptKind(workload) && this.#begun.has(`leave ${host}`);
      const coming = [...(this.#coming.get(handle) ?? [])];
      const isReplaced = coming.some((request) => this.#mayBeEndedBy(before, request));
      const isLost = before.state === "kept" && this.#lost.has(handle);
      if (!isEnded && !isGivenUp && !isReplaced && !isLost)
        this.#violate(`${handle} of ${workload.uid} ended, and nobody ended it`);
      for (const [address, token] of held) this.#onEnd(address, token);
      return;
    }
    if (tokensOf(before) !== tokensOf(after)) this.#violate(`${handle} has other slots`);
    if (after.released.size > before.released.size && !isEnded)
      this.#violate(`${handle} lost an address, and nobody released it`);
    for (const [address, token] of held)
      if (after.released.has(address) && !before.released.has(address)) this.#onEnd(address, token);
    this.#compareIncarnations(before, after);
  }

  #compareIncarnations(before: Seen["allocation"], after: Seen["allocation"]): void {
    const { handle, workload } = before;
    const isNext = after.workload.incarnation !== workload.incarnation;
    const hasCome = [...(this.#coming.get(handle) ?? [])].some(
      ({ host, workload: { uid } }) =>
        host === after.host && (uid === after.workload.uid || !isNext),
    );
    const what = `${handle} of ${workload.uid}`;
    if (isNext && this.#incarnations.has(after.workload.incarnation))
      this.#violate(`${what} has an incarnation again`);
    if (after.workload.uid !== workload.uid && !isNext)
      this.#violate(`${what} has another uid in one incarnation`);
    const returns = before.state === "kept" && after.state === "live";
    if (returns && !isNext) this.#violate(`${what} returned as the same incarnation`);
    if ((isNext || after.host !== before.host) && !hasCome)
      this.#violate(`${what} became that of ${after.workload.uid} on ${after.host}, and none came`);
    const isKept = before.state === "live" && after.state === "kept";
    const names = [workload.uid, workload.incarnation].map((name) => `keep ${handle} ${name}`);
    const isMeant = [...names, `leave ${before.host}`].some((name) => this.#begun.has(name));
    if (isKept && after.host === before.host && !isMeant)
      this.#violate(`${what} is kept, and nobody keeps it`);
  }

  /** Returns true if a request of the instance ends what it has: another incarnation whose request does not fit. */
  #mayBeEndedBy(allocation: Seen["allocation"], { digest }: Coming): boolean {
    const isFit =
      isKeptKind(allocation.workload) &&
      allocation.digest === digest &&
      allocation.released.size === 0 &&
      this.#isStable(allocation);
    return !isFit;
  }

  #spell({ handle, workload, state, host }: Seen["allocation"]): void {
    this.#endSpell(handle);
    const { uid, incarnation } = workload;
    this.#incarnations.add(incarnation);
    this.#spellsOf(handle).push({ uid, incarnation, state, host, until: Number.POSITIVE_INFINITY });
  }

  #endSpell(handle: string): void {
    const last = this.#spellsOf(handle).at(-1);
    if (last) last.until = Math.min(last.until, this.moment);
  }

  #spellsOf(handle: string): Spell[] {
    const spells = this.#spells.get(handle) ?? [];
    this.#spells.set(handle, spells);
    return spells;
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I14", message });
  }
}

/** Stands for every incarnation, in a release by handle. */
const ANY = "*";

/** Returns the addresses that an allocation has in the table, with their tokens. */
function takenUnder({ parts }: Allocation, blocks: Contents["blocks"]): [string, string][] {
  const tokens = new Set(parts.map(({ token }) => token));
  const held: [string, string][] = [];
  for (const { cidr, slots } of blocks)
    for (const [ordinal, slot] of slots)
      if (slot.kind === "taken" && tokens.has(slot.token))
        held.push([formatAddress(addressAt(cidr, ordinal)), slot.token]);
  return held;
}

const isSameApplication = (a: ApplicationName, b: ApplicationName): boolean =>
  nameOfApplication(a) === nameOfApplication(b);

const tokensOf = ({ parts }: Allocation): string =>
  parts
    .map(({ token }) => token)
    .sort()
    .join(" ");
