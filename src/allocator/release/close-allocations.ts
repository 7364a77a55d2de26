import type { Allocation } from "../../domain/allocation.ts";
import { shuffled } from "../../domain/fresh.ts";
import { ADDRESSES_RELEASED_MAX, ALLOCATIONS_CLOSED_AT_ONCE } from "../../domain/limits.ts";
import { CorruptItemError } from "../../domain/outcome.ts";
import { closeAllocation } from "../allocations/close-allocation.ts";
import { BoundedWork } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";

/** The result of a release by handle or host. */
export interface Released {
  /** The addresses that this call freed, as text. */
  readonly released: readonly string[];
  /** Is nothing left of what there was when this was asked? Where something is, the same request goes on. */
  readonly complete: boolean;
  /**
   * Did this request get further: was an address freed, or did an allocation come to its end, one that held nothing any more as
   * well? Where two in a row did not, and left the same things `unreadable`, at least one, nobody need ask again before these
   * are mended.
   */
  readonly progressed: boolean;
  /** Items that cannot be read; their addresses stay assigned. */
  readonly unreadable: readonly CorruptItemError[];
}

/** The ending of as many allocations as one request has time for. */
export class Closing {
  readonly #context: Context;
  readonly #work: BoundedWork;
  readonly #released: string[] = [];
  #progressed = false;
  readonly #unreadable = new Map<string, CorruptItemError>();
  #isPutOff = false;

  constructor(context: Context) {
    this.#context = context;
    this.#work = new BoundedWork(context);
  }

  /** May something more be begun? If not, it is left to the next request. */
  mayBegin(): boolean {
    if (this.#released.length >= ADDRESSES_RELEASED_MAX) this.#work.cut();
    return this.#work.mayBegin();
  }

  /**
   * Ends allocations, some at once, as long as there is time: in another order each time, so that none waits behind the same ones
   * for ever.
   *
   * @param settles do keyed ones that are finished lose their parts at once? So a repeat does not look at their blocks again.
   */
  async end(
    allocations: readonly Allocation[],
    { settles }: { readonly settles: boolean },
  ): Promise<void> {
    const mixed = shuffled(allocations, this.#context.random);
    await inParallel(mixed, ALLOCATIONS_CLOSED_AT_ONCE, async (allocation) => {
      if (!this.mayBegin()) return;
      const isEnded = await this.trying(async () => {
        await closeAllocation(this.#context, allocation, {
          settles,
          freed: this.#released,
        });
        return true;
      });
      this.#progressed ||= isEnded === true;
    });
  }

  /** Returns the result of the work; nothing if it cannot be done, and then the release is not complete. */
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#work.trying(work);
    } catch (error) {
      if (!(error instanceof CorruptItemError)) throw error;
      this.leave(error);
      return undefined;
    }
  }

  /** Something cannot be read, so it stays as it is. */
  leave(unreadable: CorruptItemError): void {
    this.#unreadable.set(unreadable.members.item, unreadable);
  }

  /** More is left than one request looks after: the next one does. */
  putOff(): void {
    this.#isPutOff = true;
  }

  /** @throws what went wrong, where there was no progress besides */
  answer(): Released {
    const { failure, isWhole } = this.#work;
    // An allocation may have lost some of its addresses, and have failed at the others.
    const progressed = this.#progressed || this.#released.length > 0;
    if (failure !== undefined && !progressed) throw failure;
    const unreadable = [...this.#unreadable.values()];
    const complete = isWhole && !this.#isPutOff && unreadable.length === 0;
    return { released: this.#released, complete, progressed, unreadable };
  }
}
