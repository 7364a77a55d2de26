import type { Amended } from "../../src/allocator/admin/amend-address.ts";
import type { AssignedAddress } from "../../src/allocator/assign/assignment.ts";
import type { Released } from "../../src/allocator/release/close-allocations.ts";
import { type Address, parseAddress } from "../../src/domain/address.ts";
import { contains, ordinalOf } from "../../src/domain/cidr.ts";
import type { Contents } from "../../src/domain/contents.ts";
import { type Generation, parseGeneration } from "../../src/domain/generation.ts";
import type { HostId } from "../../src/domain/host.ts";
import type { Violation } from "../../src/domain/invariants.ts";
import { CLOCK_SKEW_MS_MAX } from "../../src/domain/limits.ts";
import { Rejection, type RejectionCode } from "../../src/domain/outcome.ts";
import { type AddressStatus, History } from "./history.ts";
import { valueIn } from "./scenario.ts";

/** An address somebody was told is theirs. */
export interface Promised extends Pick<AssignedAddress, "address" | "generation"> {
  readonly handle: string;
  readonly parsed: Generation;
  readonly at: Address;
}

/** The state of an address that a rejection claims. */
const SAID: Partial<Record<RejectionCode, AddressStatus>> = {
  already_assigned: "taken",
  address_cooling: "cooling",
};

/**
 * Records the answers to callers, and compares them with the table after every step. An answer is true and stays true
 * until its owner releases or its lease ends (I2). No address is assigned twice (I1) or while it cools (I9). A replay
 * gets the same answer (I8), and a release is final (I5).
 */
export class Ledger {
  readonly violations: Violation[] = [];
  readonly #history = new History();
  readonly #promises = new Map<string, Promised>();
  /** The end of leased promises, by allocation; during a renewal, the earlier of both ends. */
  readonly #deadlines = new Map<string, number>();
  readonly #renewals = new Map<string, { readonly begun: number; readonly over: number }>();
  /** The ends that renewals by handle in progress may set: they renew whatever the handle then has at the address. */
  readonly #byHandle = new Map<string, readonly number[]>();
  /** The alternate owner of an assignment, as it was told that it is. */
  readonly #alternates = new Map<string, string>();
  /** Allocations of limited requests. */
  readonly #limited = new Set<string>();
  readonly #answers = new Map<string, string>();
  /** Tokens that somebody has begun to release: from then on either state is right. */
  readonly #letGo = new Set<string>();
  /** Addresses with the token under which they never can be taken again. */
  readonly #over = new Set<string>();
  readonly #closing = new Map<string, number>();
  /** The end of the last release of each name. */
  readonly #ended = new Map<string, number>();

  #contents: Contents | undefined;

  /** Returns the current moment of the table: an answer is judged by the states since its request. */
  get moment(): number {
    return this.#history.now;
  }

  /**
   * An answer, as its caller hears it; those that are the caller's from now on.
   *
   * @param since when it was asked, under a limit: an answer with what its handle had already was true at one moment between
   */
  hear(
    handle: string,
    key: string | undefined,
    addresses: readonly AssignedAddress[],
    since = Number.POSITIVE_INFINITY,
  ): Promised[] {
    const told = addresses.map((address) => promisedOf(handle, address));
    const closing = told.flatMap((promised) => [
      `@${promised.address}`,
      `${handle}@${promised.address}`,
      this.#hostOf(promised) ?? "",
    ]);
    const stale =
      [handle, ...closing].some(
        (name) => (this.#closing.get(name) ?? 0) > 0 || (this.#ended.get(name) ?? -1) >= since,
      ) || told.some((address) => this.#letGo.has(nameOf(address)));
    if (key !== undefined && !stale) this.#compare(`${handle}/${key}`, told);
    if (stale) return [];
    for (const [i, promised] of told.entries()) {
      const other = this.#promises.get(promised.address);
      if (other && nameOf(other) !== nameOf(promised) && !this.#deadlines.has(allocationOf(other)))
        this.#violate(
          "I1",
          `${promised.address} was given to ${handle} while ${other.handle} has it`,
        );
      this.#promises.set(promised.address, promised);
      const expiresAtMs = addresses[i]?.expiresAtMs;
      if (expiresAtMs === undefined) continue;
      const underWay = this.#byHandle.get(`${handle}@${promised.address}`) ?? [];
      this.#deadline(allocationOf(promised), Math.min(expiresAtMs, ...underWay));
    }
    return told;
  }

  /** Checks that the answers to limited requests of a handle are within the limit, for each family. */
  limited(told: readonly Promised[], limit: number): void {
    for (const promised of told) this.#limited.add(allocationOf(promised));
    for (const family of [4, 6]) {
      const all = this.promisesOf(told[0]?.handle ?? "").filter(
        (promised) => promised.at.family === family && this.#limited.has(allocationOf(promised)),
      );
      if (all.length > limit)
        this.#violate("limit", `${all.map(nameOf).join(" ")} are more than ${limit}`);
    }
  }

  /** A rejection says what an address is: it was so since the question. It names the handle that was promised it throughout. */
  hearRejection(
    { code, members }: Rejection,
    before: Promised | undefined,
    address: string | undefined,
    since: number,
  ): void {
    const said = SAID[code];
    if (!said || address === undefined) return;
    this.#hearSaid(address, said, since);
    const now = this.#promises.get(address);
    const isPromised = before && now && nameOf(now) === nameOf(before);
    if (said === "taken" && isPromised && members.assignedTo !== before.handle)
      this.#violate(
        "I2",
        `${address} of ${before.handle} is said to be assigned to ${members.assignedTo}`,
      );
  }

  /**
   * Checks that the state that a read returned was true at some moment since the request. If the address was promised
   * all the time, the read must also name the owner.
   */
  hearRead(
    read: { readonly address: string; readonly state: string; readonly generation?: string },
    before: Promised | undefined,
    since: number,
  ): void {
    // A cooldown that is over is shown as free.
    if (read.state === "assigned") this.#hearSaid(read.address, "taken", since);
    else if (!["cooling", "free"].some((s) => this.#was(read.address, s as AddressStatus, since)))
      this.#violate("I2", `${read.address} is shown as ${read.state} and was taken throughout`);
    const now = this.#promises.get(read.address);
    const shown = read.generation === undefined ? undefined : parseGeneration(read.generation);
    const isRight = shown?.ok && shown.value.token === before?.parsed.token;
    if (before && now && nameOf(now) === nameOf(before) && !isRight)
      this.#violate("I2", `${read.address} of ${before.handle} is shown as ${read.generation}`);
  }

  /** The promise that stands of an address. */
  promiseOf(address: string): Promised | undefined {
    return this.#promises.get(address);
  }

  promisesOf(handle: string): readonly Promised[] {
    return [...this.#promises.values()].filter((promised) => promised.handle === handle);
  }

  /** From now on this address may be taken away: its owner, or somebody in its name, releases it. */
  letGo(promised: Promised): void {
    this.#letGo.add(nameOf(promised));
    const current = this.#promises.get(promised.address);
    if (current && nameOf(current) === nameOf(promised)) this.#promises.delete(promised.address);
  }

  /** An answer says that this assignment is no more: nobody can bring it back. */
  gone(promised: Promised): void {
    this.#over.add(`${promised.address} ${promised.parsed.token}`);
  }

  /** A release of an address names whatever assignment, of that handle or of any, is there while it lasts. */
  async lettingGo<T>(
    address: string,
    handle: string | undefined,
    release: () => Promise<T>,
  ): Promise<T> {
    const current = this.#promises.get(address);
    if (current && (handle === undefined || current.handle === handle)) this.letGo(current);
    return this.#while(`${handle ?? ""}@${address}`, release);
  }

  /** A release by handle names whatever the handle has while it lasts. When it says that it is complete, nothing is left of it. */
  async closing(handle: string, release: () => Promise<Released>): Promise<Released> {
    const promises = this.promisesOf(handle);
    for (const promised of promises) this.letGo(promised);
    const answer = await this.#while(handle, release);
    for (const promised of promises)
      if (answer.complete || answer.released.includes(promised.address)) this.gone(promised);
    if (answer.complete)
      for (const [key] of this.#answers)
        if (key.startsWith(`${handle}/`)) this.#answers.delete(key);
    return answer;
  }

  /** A renewal that names the handle: what it has there by then may be another assignment than the one it had. */
  async renewingByHandle(
    promised: Promised,
    expiresAtMs: number,
    renew: () => Promise<Amended | Rejection>,
  ): Promise<Amended | Rejection> {
    const { handle, address } = promised;
    const name = `${handle}@${address}`;
    this.#byHandle.set(name, [...(this.#byHandle.get(name) ?? []), expiresAtMs]);
    // The caller may know of one that is over: what the handle has there now is what it names.
    const before = this.#promises.get(address);
    const named = before?.handle === handle ? before : promised;
    const answer = await this.#renewing(named, expiresAtMs, renew, true);
    const underWay = this.#byHandle.get(name) ?? [];
    this.#byHandle.set(name, underWay.toSpliced(underWay.indexOf(expiresAtMs), 1));
    const current = this.#promises.get(address);
    if (current?.handle === handle && !(answer instanceof Rejection))
      if (this.#deadlines.has(allocationOf(current)))
        this.#deadline(allocationOf(current), answer.expiresAtMs ?? expiresAtMs);
    return answer;
  }

  /**
   * A release by host names whatever the host has while it lasts. When it says that it is complete, nothing is left of what
   * was found under the host when it began.
   */
  async endingHost(host: HostId, release: () => Promise<Released>): Promise<Released> {
    const promises = [...this.#promises.values()].filter((each) => this.#hostOf(each) === host);
    const found = promises.filter((promised) => this.#isFoundUnder(host, promised));
    for (const promised of promises) this.letGo(promised);
    const answer = await this.#while(host, release);
    for (const promised of found) {
      if (!answer.complete && !answer.released.includes(promised.address)) continue;
      if (this.#contents && isHeldIn(this.#contents, promised))
        this.#violate("I11", `all of ${host} was released, and ${nameOf(promised)} is left`);
      this.gone(promised);
    }
    return answer;
  }

  /** Returns the host of an address, by the allocation that holds it. */
  #hostOf({ parsed }: Promised): HostId | undefined {
    return this.#contents?.allocations.find(({ parts }) =>
      parts.some(({ token }) => token === parsed.token),
    )?.host;
  }

  #isFoundUnder(host: HostId, { at }: Promised): boolean {
    const { affinities = [], borrowedBlocks = [] } = this.#contents ?? {};
    return [...affinities, ...borrowedBlocks].some(
      (named) => named.host === host && contains(named.block, at),
    );
  }

  /** A renewal that names an assignment by its generation. */
  async renewing(
    promised: Promised,
    expiresAtMs: number,
    renew: () => Promise<Amended | Rejection>,
  ): Promise<Amended | Rejection> {
    return this.#renewing(promised, expiresAtMs, renew, false);
  }

  /** Until a renewal ends, either lease may be the valid one. A renewal that ends in an error never ends. */
  async #renewing(
    promised: Promised,
    expiresAtMs: number,
    renew: () => Promise<Amended | Rejection>,
    byHandle: boolean,
  ): Promise<Amended | Rejection> {
    const allocation = allocationOf(promised);
    const isIt = (current = this.#promises.get(promised.address)) =>
      current !== undefined && nameOf(current) === nameOf(promised);
    const isCurrent = () =>
      byHandle ? this.#promises.get(promised.address)?.handle === promised.handle : isIt();
    const wasIt = isIt();
    const wasCurrent = isCurrent();
    this.#deadline(allocation, expiresAtMs);
    const { begun, over } = this.#renewalsOf(allocation);
    this.#renewals.set(allocation, { begun: begun + 1, over });
    const answer = await renew();
    const now = this.#renewalsOf(allocation);
    this.#renewals.set(allocation, { ...now, over: now.over + 1 });
    if (answer instanceof Rejection) return answer;
    if (wasCurrent && !isCurrent() && !this.#letGo.has(nameOf(promised)))
      this.#violate("I2", `${promised.address} was renewed after its lease had ended`);
    // Of parallel ones nobody knows whose write was last. If the handle had another address, nobody knows which was
    // renewed.
    const wasAlone = begun === over && now.begun === begun + 1;
    const isSure = wasAlone && (!byHandle || (wasIt && isIt()));
    const until = answer.expiresAtMs ?? expiresAtMs;
    if (isSure) this.#deadlines.set(allocation, until);
    else this.#deadline(allocation, until);
    return answer;
  }

  /**
   * Records the new alternate owner of an address that had none. Two at the same time are one too many. A caller with
   * such an answer is the alternate owner until it begins to leave.
   */
  heardAlternate(promised: Promised, name: string): void {
    const other = this.#alternates.get(nameOf(promised));
    if (other !== undefined && other !== name)
      this.#violate("owner", `${promised.address} has ${name} as alternate, and ${other}`);
    this.#alternates.set(nameOf(promised), name);
  }

  /** From now on somebody else may be the alternate owner. */
  leavesAlternate(promised: Promised, name: string): void {
    if (this.#alternates.get(nameOf(promised)) === name) this.#alternates.delete(nameOf(promised));
  }

  #renewalsOf(allocation: string) {
    return this.#renewals.get(allocation) ?? { begun: 0, over: 0 };
  }

  /** After a write: is everything that was promised still so? */
  step(contents: Contents, nowMs: number): void {
    this.#history.step(contents, (address, token) => {
      if (this.#over.has(`${address} ${token}`))
        this.#violate("I5", `${address} was released under ${token} and is taken under it again`);
    });
    this.hold(contents, nowMs);
  }

  hold(contents: Contents, nowMs: number): void {
    this.#contents = contents;
    for (const promised of [...this.#promises.values()]) {
      if (isHeldIn(contents, promised)) continue;
      this.#promises.delete(promised.address);
      // An owner may go by the slowest clock there is.
      const deadline = this.#deadlines.get(allocationOf(promised)) ?? Number.POSITIVE_INFINITY;
      if (nowMs - CLOCK_SKEW_MS_MAX / 2 >= deadline) this.#expired(promised);
      else
        this.#violate("I2", `${promised.address} was promised to ${promised.handle} and is gone`);
    }
  }

  #expired(promised: Promised): void {
    this.gone(promised);
    for (const [request, told] of this.#answers)
      if (told.split(" ").includes(nameOf(promised))) this.#answers.delete(request);
  }

  #deadline(allocation: string, atMs: number): void {
    this.#deadlines.set(allocation, Math.min(atMs, this.#deadlines.get(allocation) ?? atMs));
  }

  /**
   * Until a release ends, either state is right for what it names. One that ends in an error never ends, because the
   * repair run may finish it at any time.
   */
  async #while<T>(name: string, release: () => Promise<T>): Promise<T> {
    this.#closing.set(name, (this.#closing.get(name) ?? 0) + 1);
    const answer = await release();
    this.#closing.set(name, (this.#closing.get(name) ?? 0) - 1);
    this.#ended.set(name, this.moment);
    return answer;
  }

  #hearSaid(address: string, said: AddressStatus, since: number): void {
    if (!this.#was(address, said, since))
      this.#violate("I2", `${address} is said to be ${said}, and was not since the question`);
  }

  #was(address: string, state: AddressStatus, since: number): boolean {
    return this.#history.was(address, state, since);
  }

  #compare(request: string, told: readonly Promised[]): void {
    const now = told.map(nameOf).sort().join(" ");
    const before = this.#answers.get(request);
    const released = before?.split(" ").some((name) => this.#letGo.has(name));
    if (before !== undefined && !released && before !== now)
      this.#violate("I8", `${request} was told ${before} and then ${now}`);
    this.#answers.set(request, now);
  }

  #violate(invariant: string, message: string): void {
    this.violations.push({ invariant, message });
  }
}

/**
 * Returns true if the address is taken under exactly this token. An empty block of an earlier pool may exist at the
 * place as well.
 */
function isHeldIn({ blocks }: Contents, { at, parsed }: Promised): boolean {
  return blocks.some(({ cidr, slots }) => {
    const slot = contains(cidr, at) && slots.get(ordinalOf(cidr, at));
    return slot && slot.kind === "taken" && slot.token === parsed.token;
  });
}

/** An address and its generation as a caller has them, with the handle they are of. */
export function promisedOf(
  handle: string,
  { address, generation }: Pick<AssignedAddress, "address" | "generation">,
): Promised {
  return {
    address,
    generation,
    handle,
    parsed: valueIn(parseGeneration(generation)),
    at: valueIn(parseAddress(address)),
  };
}

/** By its token: the text of a generation also says how many its request wants, which may be less once it is answered. */
const nameOf = ({ address, parsed }: Pick<Promised, "address" | "parsed">) =>
  `${address}@${parsed.token}`;
const allocationOf = ({ parsed }: Promised) => `${parsed.handleHash}.${parsed.allocationId}`;
