import type { Interval } from "../domain/cidr.ts";
import { isUsedUp } from "../domain/claimable.ts";
import type { FullPool } from "../domain/contents.ts";
import type { Pool } from "../domain/pool.ts";
import { configurationOf } from "./configuration.ts";
import type { Context } from "./context.ts";
import { callFull, isBelievedFull } from "./full.ts";
import { asHint } from "./hint.ts";

/** What a pass found out about the pools of a space: which of their cells are full. */
export class FullCells {
  readonly #space: string;
  readonly #cells = new Map<Pool, Set<bigint>>();
  /** The pools that are called full, by their ids; read when the first one is found so. */
  #hints: Map<string, FullPool> | undefined;

  constructor(space: string) {
    this.#space = space;
  }

  add(pool: Pool, cell: bigint): void {
    const cells = this.#cells.get(pool);
    if (cells) cells.add(cell);
    else this.#cells.set(pool, new Set([cell]));
  }

  /**
   * Calls the pools full of which every cell was found so, as a look would: so a request passes them by that has never tried
   * them. A pool of which the pass saw only a part is left to those that go through all of it.
   */
  async callPools(context: Context): Promise<void> {
    for (const [pool, cells] of this.#cells) {
      const { pools, reserved, unreadableReservations } = await configurationOf(
        context,
        this.#space,
      );
      // Where one pool serves nobody asks for its hint.
      if (pools.length === 1 || unreadableReservations.length > 0) return;
      if (!isUsedUp(pool, cells, reserved)) continue;
      this.#cells.delete(pool);
      await asHint(() => this.#call(context, pool, reserved));
    }
  }

  async #call(context: Context, pool: Pool, reserved: readonly Interval[]): Promise<void> {
    const { store } = context;
    this.#hints ??= new Map(
      (await store.listFullPools(this.#space)).map((hint) => [hint.poolId, hint]),
    );
    if (!isBelievedFull(pool, this.#hints.get(pool.id), reserved))
      await callFull(context, pool, reserved);
  }
}
