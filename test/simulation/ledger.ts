import type { AssignedAddress } from "../../src/allocator/assignment.ts";
import { parseAddress } from "../../src/domain/address.ts";
import { contains, ordinalOf } from "../../src/domain/cidr.ts";
import type { Contents } from "../../src/domain/contents.ts";
import { type Generation, parseGeneration } from "../../src/domain/generation.ts";
import type { Violation } from "../../src/domain/invariants.ts";

/** An address somebody was told is theirs. */
export interface Promised extends AssignedAddress {
  readonly handle: string;
  readonly parsed: Generation;
}

/**
 * What callers were told, held against the table after every step: an answer is true and stays true until its owner lets
 * go (I2), nobody is told of an address that another has (I1) or that cools (I9), and a repeat hears the same (I8).
 */
export class Ledger {
  readonly violations: Violation[] = [];
  readonly #promises = new Map<string, Promised>();
  readonly #answers = new Map<string, string>();
  /** Tokens that somebody has begun to release: from then on either state is right. */
  readonly #letGo = new Set<string>();
  readonly #ending = new Map<string, number>();

  /** An answer, as its caller hears it; those that are the caller's from now on. */
  hear(handle: string, key: string | undefined, addresses: readonly AssignedAddress[]): Promised[] {
    const told = addresses.map((address) => ({
      ...address,
      handle,
      parsed: generationOf(address),
    }));
    const ending = [handle, ...told.map(({ address }) => `${handle}@${address}`)];
    const stale =
      ending.some((name) => (this.#ending.get(name) ?? 0) > 0) ||
      told.some((address) => this.#letGo.has(nameOf(address)));
    if (key !== undefined && !stale) this.#compare(`${handle}/${key}`, told);
    if (stale) return [];
    for (const promised of told) {
      const other = this.#promises.get(promised.address);
      if (other && nameOf(other) !== nameOf(promised))
        this.#violate(
          "I1",
          `${promised.address} was given to ${handle} while ${other.handle} has it`,
        );
      this.#promises.set(promised.address, promised);
    }
    return told;
  }

  /** From now on this address may be taken away: its owner, or somebody in its name, releases it. */
  letGo(promised: Promised): void {
    this.#letGo.add(nameOf(promised));
    if (this.#promises.get(promised.address)?.generation === promised.generation)
      this.#promises.delete(promised.address);
  }

  /** A release of an address by its handle names whatever assignment of that handle is there while it lasts. */
  async lettingGo<T>({ address, handle }: Promised, release: () => Promise<T>): Promise<T> {
    const standing = this.#promises.get(address);
    if (standing?.handle === handle) this.letGo(standing);
    return this.#while(`${handle}@${address}`, release);
  }

  /** A release by handle names whatever the handle has while it lasts. */
  async ending<T>(handle: string, release: () => Promise<T>): Promise<T> {
    for (const promised of [...this.#promises.values()])
      if (promised.handle === handle) this.letGo(promised);
    const answer = await this.#while(handle, release);
    for (const [key] of this.#answers) if (key.startsWith(`${handle}/`)) this.#answers.delete(key);
    return answer;
  }

  /** Is everything that was promised still so? */
  hold({ blocks }: Contents): void {
    for (const promised of this.#promises.values()) {
      const address = addressOf(promised);
      const block = blocks.find(({ cidr }) => contains(cidr, address));
      const slot = block?.slots.get(ordinalOf(block.cidr, address));
      if (slot?.kind !== "taken" || slot.token !== promised.parsed.token) {
        this.#violate("I2", `${promised.address} was promised to ${promised.handle} and is gone`);
        this.#promises.delete(promised.address);
      }
    }
  }

  /** What is still promised at the end of a run. */
  standing(): readonly Promised[] {
    return [...this.#promises.values()];
  }

  /**
   * Until a release is over, either outcome is right for what it names. One that ends in an error is never over: what it
   * has begun, the collector may finish at any time.
   */
  async #while<T>(name: string, release: () => Promise<T>): Promise<T> {
    this.#ending.set(name, (this.#ending.get(name) ?? 0) + 1);
    const answer = await release();
    this.#ending.set(name, (this.#ending.get(name) ?? 0) - 1);
    return answer;
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

const nameOf = ({ address, generation }: AssignedAddress) => `${address}@${generation}`;

function generationOf({ generation }: AssignedAddress): Generation {
  const parsed = parseGeneration(generation);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}

function addressOf({ address }: AssignedAddress) {
  const parsed = parseAddress(address);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}
