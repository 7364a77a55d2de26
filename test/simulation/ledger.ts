import { CLOCK_SKEW_MS_MAX, RELEASED_ALLOCATION_KEPT_MS } from "../../src/base/limits.ts";
import { Rejection, type RejectionCode } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { AssignedAddress } from "../../src/kernel/assign/assignment.ts";
import type { Released } from "../../src/kernel/release/bounded-release.ts";
import { type Generation, parseGeneration } from "../../src/kernel/values/generation.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { type Address, parseAddress } from "../../src/net/address.ts";
import { contains, ordinalOf } from "../../src/net/cidr.ts";
import type { Amended } from "../../src/nouns/address/operations/amend-address.ts";
import { type AddressStatus, History } from "./history.ts";
import { valueIn } from "./scenario.ts";

/** An address that an answer has assigned to a caller. */
export interface Promised extends Pick<AssignedAddress, "address" | "generation"> {
  readonly handle: string;
  readonly parsed: Generation;
  readonly at: Address;
}

interface Answered {
  /** The addresses with their tokens, as one text. */
  readonly told: string;
  readonly atMs: number;
}

/** The state of an address that a rejection claims. */
const SAID: Partial<Record<RejectionCode, AddressStatus>> = {
  already_assigned: "taken",
  address_cooling: "cooling",
  address_quarantined: "quarantined",
};

/** The states of an address that a read may show as cooling or free. */
const FREE: readonly AddressStatus[] = ["cooling", "quarantined", "free"];

/**
 * Records the answers to callers, and compares them with the table after every step. An answer is true and stays true
 * until its owner releases or its lease ends (I2). No address is assigned twice (I1) or while it cools (I9) or
 * is in quarantine (I16). A replay gets the same answer (I8), and a release is final (I5).
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
  /** The alternate owner of an assignment, according to the answer that it got. */
  readonly #alternates = new Map<string, string>();
  /** Allocations of limited requests. */
  readonly #limited = new Set<string>();
  /** The answers to requests with a key, by handle and key. */
  readonly #answers = new Map<string, Answered>();
  /** Tokens whose release has begun: from then on either state is right. */
  readonly #letGo = new Set<string>();
  /** Addresses with the tokens under which they can never be taken again. */
  readonly #over = new Set<string>();
  /** The ends of quarantines that callers were told of, by address. */
  readonly #quarantines = new Map<string, number>();
  readonly #ending = new Map<string, number>();
  /** The end of the last release of each name. */
  readonly #ended = new Map<string, number>();

  readonly #namesOwners: boolean;
  #contents: Contents | undefined;
  #nowMs = Number.NEGATIVE_INFINITY;

  /** @param namesOwners false if a rejection may leave out an owner whose allocation its version cannot read */
  constructor(namesOwners = true) {
    this.#namesOwners = namesOwners;
  }

  /** Returns the current moment of the table: an answer is judged by the states since its request. */
  get moment(): number {
    return this.#history.now;
  }

  /**
   * Records an answer as its caller gets it. From then on its addresses belong to the caller.
   *
   * @param since the moment of the request, if it had a limit or was one of a batch: its answer was
   * true at one moment between the request and the answer
   * @param mayReuse true if the answer may have addresses that the handle had before, under a limit
   */
  hear(
    handle: string,
    key: string | undefined,
    addresses: readonly AssignedAddress[],
    since = Number.POSITIVE_INFINITY,
    mayReuse = since !== Number.POSITIVE_INFINITY,
  ): Promised[] {
    const told = addresses.map((address) => promisedOf(handle, address));
    const ending = told.flatMap((promised) => [
      `@${promised.address}`,
      `${handle}@${promised.address}`,
      // A release by host keeps what such an instance has.
      keeps(promised) ? "" : (this.#hostOf(promised) ?? ""),
    ]);
    const stale =
      [handle, ...ending].some(
        (name) => (this.#ending.get(name) ?? 0) > 0 || (this.#ended.get(name) ?? -1) >= since,
      ) || told.some((address) => this.#letGo.has(nameOf(address)));
    if (key !== undefined && !stale) this.#compare(`${handle}/${key}`, told, mayReuse);
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
    for (const promised of told) this.#dropIfOver(promised);
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

  /**
   * Checks that the state in a rejection was true at some moment since the request. If the address
   * was promised throughout, the rejection must name its handle.
   */
  hearRejection(
    { code, members }: Rejection,
    before: Promised | undefined,
    address: string,
    since: number,
  ): void {
    const said = SAID[code];
    if (!said) return;
    // What an application holds is assigned to it.
    if (said !== "taken" || !this.#was(address, "held", since))
      this.#hearSaid(address, said, since);
    const now = this.#promises.get(address);
    const isPromised = before && now && nameOf(now) === nameOf(before);
    const isUnnamed = !this.#namesOwners && members.assignedTo === undefined;
    if (said === "taken" && isPromised && members.assignedTo !== before.handle && !isUnnamed)
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
    // A read shows an ended cooldown or quarantine as free.
    if (read.state === "assigned" || read.state === "kept")
      this.#hearSaid(read.address, "taken", since);
    else if (read.state === "quarantined" || read.state === "held")
      this.#hearSaid(read.address, read.state, since);
    else if (!FREE.some((state) => this.#was(read.address, state, since)))
      this.#violate("I2", `${read.address} is shown as ${read.state} and was taken throughout`);
    const now = this.#promises.get(read.address);
    const shown = read.generation === undefined ? undefined : parseGeneration(read.generation);
    const isRight = shown?.ok && shown.value.token === before?.parsed.token;
    if (before && now && nameOf(now) === nameOf(before) && !isRight)
      this.#violate("I2", `${read.address} of ${before.handle} is shown as ${read.generation}`);
  }

  /** Returns the current promise of an address. */
  promiseOf(address: string): Promised | undefined {
    return this.#promises.get(address);
  }

  promisesOf(handle: string): readonly Promised[] {
    return [...this.#promises.values()].filter((promised) => promised.handle === handle);
  }

  /**
   * Records that a release of this address has begun, by its owner or in its owner's name. From now
   * on it may be gone.
   */
  letGo({ address, parsed: { token } }: Pick<Promised, "address" | "parsed">): void {
    this.letGoUnder(address, token);
  }

  /** Records that the address may be gone under this token, whether or not a caller was told of it. */
  letGoUnder(address: string, token: string): void {
    const name = `${address}@${token}`;
    this.#letGo.add(name);
    const current = this.#promises.get(address);
    if (current && nameOf(current) === name) this.#promises.delete(address);
  }

  /** Records an answer that this assignment has ended: nothing can bring it back. */
  gone(promised: Promised): void {
    this.#over.add(`${promised.address} ${promised.parsed.token}`);
  }

  /**
   * Records a release by address. It names any assignment of the handle, or of all handles, at the
   * address while it runs.
   */
  async lettingGo<T>(
    address: string,
    handle: string | undefined,
    release: () => Promise<T>,
  ): Promise<T> {
    const current = this.#promises.get(address);
    if (current && (handle === undefined || current.handle === handle)) this.letGo(current);
    return this.#while(`${handle ?? ""}@${address}`, release);
  }

  /**
   * Records the answer to a report of a conflict: nobody may get the address before its time. A lift that ran since the
   * request may have ended the quarantine.
   */
  heardQuarantine(address: string, untilMs: number, since: number): void {
    const lift = liftOf(address);
    if ((this.#ending.get(lift) ?? 0) > 0 || (this.#ended.get(lift) ?? -1) >= since) return;
    this.#quarantines.set(address, Math.max(untilMs, this.#quarantines.get(address) ?? untilMs));
  }

  /** Returns the addresses that callers reported. */
  get quarantined(): readonly string[] {
    return [...this.#quarantines.keys()];
  }

  /** Records a lift: from its start on, the quarantine of the address may be over. */
  async lifting<T>(address: string, lift: () => Promise<T>): Promise<T> {
    this.#quarantines.delete(address);
    return this.#while(liftOf(address), lift);
  }

  /**
   * Records a release by handle. It names every assignment that the handle has while it runs. If it
   * reports that it is complete, none of them is left.
   */
  async ending(handle: string, release: () => Promise<Released>): Promise<Released> {
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

  /** Records a renewal by handle. The handle may have another assignment at the address by then. */
  async renewingByHandle(
    promised: Promised,
    expiresAtMs: number,
    renew: () => Promise<Amended | Rejection>,
  ): Promise<Amended | Rejection> {
    const { handle, address } = promised;
    const name = `${handle}@${address}`;
    this.#byHandle.set(name, [...(this.#byHandle.get(name) ?? []), expiresAtMs]);
    // The caller may know of an ended assignment. The renewal names the current one of the handle.
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
   * Records a release by host. It names every assignment of the host while it runs. If it reports
   * that it is complete, none is left of those that the host had at its start. Instances that keep their addresses are none of
   * its business.
   */
  async endingHost(host: HostId, release: () => Promise<Released>): Promise<Released> {
    const promises = [...this.#promises.values()].filter(
      (each) => this.#hostOf(each) === host && !keeps(each),
    );
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

  /** Records a renewal that names an assignment by its generation. */
  async renewing(
    promised: Promised,
    expiresAtMs: number,
    renew: () => Promise<Amended | Rejection>,
  ): Promise<Amended | Rejection> {
    return this.#renewing(promised, expiresAtMs, renew, false);
  }

  /**
   * Runs a renewal. Until it ends, either lease may be the valid one. A renewal that ends in an
   * error never ends.
   */
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
    // The order of parallel writes is unknown. If the handle had another address, the renewed one
    // is unknown too.
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

  /** Records that another caller may be the alternate owner from now on. */
  leavesAlternate(promised: Promised, name: string): void {
    if (this.#alternates.get(nameOf(promised)) === name) this.#alternates.delete(nameOf(promised));
  }

  #renewalsOf(allocation: string) {
    return this.#renewals.get(allocation) ?? { begun: 0, over: 0 };
  }

  /** Checks after a write that every promise still holds. */
  step(contents: Contents, nowMs: number): void {
    this.#history.step(contents, (address, token) => {
      if (this.#over.has(`${address} ${token}`))
        this.#violate("I5", `${address} was released under ${token} and is taken under it again`);
      const untilMs = this.#quarantines.get(address) ?? Number.NEGATIVE_INFINITY;
      if (nowMs < untilMs)
        this.#violate(
          "I16",
          `${address} was taken ${untilMs - nowMs} ms before its quarantine ends`,
        );
    });
    this.hold(contents, nowMs);
  }

  hold(contents: Contents, nowMs: number): void {
    this.#contents = contents;
    this.#nowMs = nowMs;
    for (const promised of [...this.#promises.values()]) {
      if (isHeldIn(contents, promised) || this.#dropIfOver(promised)) continue;
      this.#promises.delete(promised.address);
      this.#violate("I2", `${promised.address} was promised to ${promised.handle} and is gone`);
    }
  }

  /**
   * Forgets a promise whose lease has ended, if the address is not held any more. An answer that was long under way can be such a
   * promise from the start. Returns true if it was one.
   */
  #dropIfOver(promised: Promised): boolean {
    if (!this.#contents || isHeldIn(this.#contents, promised)) return false;
    // An owner may use the slowest clock that the design allows.
    const deadline = this.#deadlines.get(allocationOf(promised)) ?? Number.POSITIVE_INFINITY;
    if (this.#nowMs - CLOCK_SKEW_MS_MAX / 2 < deadline) return false;
    this.#promises.delete(promised.address);
    this.#expired(promised);
    return true;
  }

  #expired(promised: Promised): void {
    this.gone(promised);
    for (const [request, { told }] of this.#answers)
      if (told.split(" ").includes(nameOf(promised))) this.#answers.delete(request);
  }

  #deadline(allocation: string, atMs: number): void {
    this.#deadlines.set(allocation, Math.min(atMs, this.#deadlines.get(allocation) ?? atMs));
  }

  /**
   * Runs a release. Until it ends, either state is right for the assignments that it names. A
   * release that ends in an error never ends, because the repair run may finish it at any time.
   */
  async #while<T>(name: string, release: () => Promise<T>): Promise<T> {
    this.#ending.set(name, (this.#ending.get(name) ?? 0) + 1);
    const answer = await release();
    this.#ending.set(name, (this.#ending.get(name) ?? 0) - 1);
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

  /**
   * Compares the answer to a request with the one before. Plat forgets a key that holds nothing after a day. So an
   * answer to a limited request, which may have other requests' addresses only, binds no longer than that.
   */
  #compare(request: string, promises: readonly Promised[], mayReuse: boolean): void {
    const told = promises.map(nameOf).sort().join(" ");
    const before = this.#answers.get(request);
    this.#answers.set(request, { told, atMs: this.#nowMs });
    if (before === undefined || before.told === told) return;
    const forgottenAtMs = before.atMs + RELEASED_ALLOCATION_KEPT_MS - CLOCK_SKEW_MS_MAX;
    if (mayReuse && this.#nowMs >= forgottenAtMs) return;
    const released = before.told.split(" ").some((name) => this.#letGo.has(name));
    if (!released) this.#violate("I8", `${request} was told ${before.told} and then ${told}`);
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

/** Returns an address and its generation as a caller has them, with their handle. */
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

const keeps = ({ parsed }: Promised): boolean => parsed.instance?.keeps === true;

/**
 * Returns the name of a promise, with the token only. The text of a generation also has the number
 * of addresses that its request wants, which the answer may reduce.
 */
const nameOf = ({ address, parsed }: Pick<Promised, "address" | "parsed">) =>
  `${address}@${parsed.token}`;
const liftOf = (address: string) => `lift of ${address}`;
const allocationOf = ({ parsed }: Promised) => `${parsed.handleHash}.${parsed.allocationId}`;
