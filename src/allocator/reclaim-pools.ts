import { isUsedUp } from "../domain/claimable.ts";
import type { FullPool } from "../domain/contents.ts";
import { POOLS_CALLED_FULL_AT_ONCE } from "../domain/limits.ts";
import type { Pool } from "../domain/pool.ts";
import { configurationOf } from "./configuration.ts";
import type { Context } from "./context.ts";
import { callFull, isBelievedFull } from "./full.ts";
import { asHint } from "./hint.ts";
import { inParallel } from "./parallel.ts";

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
    const { pools, reserved, unreadableReservations } = await configurationOf(context, this.#space);
    // Where one pool serves nobody asks for its hint.
    if (pools.length === 1 || unreadableReservations.length > 0) return;
    const found = [...this.#cells].filter(([pool, cells]) => isUsedUp(pool, cells, reserved));
    if (found.length === 0) return;
    this.#hints ??= new Map(
      (await context.store.listFullPools(this.#space)).map((hint) => [hint.poolId, hint]),
    );
    const hints = this.#hints;
    await inParallel(found, POOLS_CALLED_FULL_AT_ONCE, async ([pool]) => {
      this.#cells.delete(pool);
      if (!isBelievedFull(pool, hints.get(pool.id), reserved))
        await asHint(() => callFull(context, pool, reserved));
    });
  }
}
