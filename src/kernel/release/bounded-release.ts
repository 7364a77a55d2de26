import { ALLOCATIONS_ENDED_AT_ONCE } from "../../base/limits.ts";
import { CorruptItemError } from "../../base/outcome.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt } from "../../net/cidr.ts";
import { BoundedWork } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { endAllocation, endInstance } from "../end/end.ts";
import type { Allocation } from "../values/allocation.ts";
import { type Block, takenUnder } from "../values/block.ts";
import { shuffled } from "../values/fresh.ts";
import { ADDRESSES_RELEASED_MAX } from "../values/limits.ts";
import { isKeepable, keptOf } from "./release-instance.ts";

/** The result of a release by handle or host. */
export interface Released {
  /** The addresses that this call freed, as text. */
  readonly released: readonly string[];
  /** The addresses that instances keep for their next incarnation, as text: those that this call kept or found kept. */
  readonly kept: readonly string[];
  /**
   * True if nothing is left of what existed at the start of this request. Otherwise a repeat of the request continues.
   */
  readonly complete: boolean;
  /**
   * True if this request made progress: it freed an address, or ended an allocation, even one that held nothing. If
   * two requests in a row made none and named the same `unreadable` items, at least one, a repeat is useless until
   * these are repaired.
   */
  readonly progressed: boolean;
  /** Items that cannot be read; their addresses stay assigned. */
  readonly unreadable: readonly CorruptItemError[];
}

/** A release that ends as many allocations as one request has time for. */
export class BoundedRelease {
  readonly #context: Context;
  readonly #work: BoundedWork;
  readonly #released: string[] = [];
  readonly #kept = new Set<string>();
  #progressed = false;
  readonly #unreadable = new Map<string, CorruptItemError>();
  #isPutOff = false;

  constructor(context: Context) {
    this.#context = context;
    this.#work = new BoundedWork(context);
  }

  /** Returns true if there is time to start more. Otherwise the next request does it. */
  mayBegin(): boolean {
    if (this.#released.length >= ADDRESSES_RELEASED_MAX) this.#work.cut();
    return this.#work.mayBegin();
  }

  /**
   * Ends allocations, some in parallel, while there is time. The order is random, so that none always waits behind
   * the same ones.
   *
   * @param settles true if finished keyed allocations lose their parts immediately, so that a repeat does not read
   *   their blocks again
   */
  async end(
    allocations: readonly Allocation[],
    { settles }: { readonly settles: boolean },
  ): Promise<void> {
    await this.#each(allocations, async (allocation) => {
      await endAllocation(this.#context, allocation, { settles, freed: this.#released });
      return true;
    });
  }

  /**
   * Keeps what instances have, if their kinds keep it, and ends the allocations of the others. It puts off one that it could not end
   * as it was read, because another request has changed it, or the database did not answer.
   *
   * @param block the block in which they were found, whose addresses `kept` names if they are kept already
   */
  async endInstances(allocations: readonly Allocation[], block?: Block): Promise<void> {
    await this.#each(allocations, async (allocation) => {
      if (!isKeepable(allocation)) {
        const isOver = await endInstance(this.#context, allocation, this.#released);
        if (!isOver) this.putOff();
        return isOver;
      }
      // Whoever kept it asks whether it has a next incarnation. A host can have more of them than one request could ask for.
      const kept =
        allocation.state === "kept"
          ? keptIn(allocation, block)
          : await keptOf(this.#context, allocation, this.#released);
      for (const address of kept ?? []) this.#kept.add(address);
      return kept !== undefined && allocation.state === "live";
    });
  }

  /** Works on allocations in random order, some in parallel, while there is time. */
  async #each(
    allocations: readonly Allocation[],
    work: (allocation: Allocation) => Promise<boolean>,
  ): Promise<void> {
    const mixed = shuffled(allocations, this.#context.random);
    await inParallel(mixed, ALLOCATIONS_ENDED_AT_ONCE, async (allocation) => {
      if (!this.mayBegin()) return;
      const hasProgressed = await this.trying(() => work(allocation));
      this.#progressed ||= hasProgressed === true;
    });
  }

  /** Returns the result of the work, or nothing if it fails. Then the release is not complete. */
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#work.trying(work);
    } catch (error) {
      if (!(error instanceof CorruptItemError)) throw error;
      this.leave(error);
      return undefined;
    }
  }

  /** Records an unreadable item, which stays as it is. */
  leave(unreadable: CorruptItemError): void {
    this.#unreadable.set(unreadable.members.item, unreadable);
  }

  /** Notes that more is left than one request does. The next one does it. */
  putOff(): void {
    this.#isPutOff = true;
  }

  /** @throws the first failure, if there was no progress */
  answer(): Released {
    const { failure, isWhole } = this.#work;
    // An allocation that failed may have lost some of its addresses before.
    const progressed = this.#progressed || this.#released.length > 0;
    if (failure !== undefined && !progressed) throw failure;
    const unreadable = [...this.#unreadable.values()];
    const complete = isWhole && !this.#isPutOff && unreadable.length === 0;
    return { released: this.#released, kept: [...this.#kept], complete, progressed, unreadable };
  }
}

/** Returns the addresses in a block that an allocation holds, as text. */
const keptIn = ({ parts }: Allocation, block: Block | undefined): readonly string[] =>
  block
    ? parts
        .flatMap(({ token }) => takenUnder(block, token))
        .map((ordinal) => formatAddress(addressAt(block.cidr, ordinal)))
    : [];
