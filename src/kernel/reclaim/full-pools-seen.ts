import type { FullPool } from "../../invariants/contents.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { callFull, isBelievedFull } from "../blocks/full-group-hint.ts";
import { Lending } from "../blocks/lending-hint.ts";
import { asHint } from "../core/bounded-work.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { isUsedUp } from "../values/block-group.ts";
import type { LendingHint } from "../values/lending.ts";
import { POOLS_CALLED_FULL_AT_ONCE } from "../values/limits.ts";
import type { GroupOfPool } from "./reclaim-group.ts";

/** Collects which block groups of a space's pools are full and what these can lend, and which pools have a group that is not full. */
export class PoolsSeen {
  readonly #space: string;
  readonly #full = new Map<Pool, Set<bigint>>();
  readonly #open = new Set<Pool>();
  /** The hints of what full block groups can lend, until they are written. */
  readonly #lending = new Map<Pool, Map<bigint, LendingHint>>();
  /** The pools that are called full, by their ids; read once. */
  #hints: Map<string, FullPool> | undefined;

  constructor(space: string) {
    this.#space = space;
  }

  saw(
    { pool, index }: GroupOfPool,
    { isFull, lending }: { readonly isFull: boolean; readonly lending: LendingHint | undefined },
  ): void {
    if (lending) {
      const ofPool = this.#lending.get(pool) ?? new Map<bigint, LendingHint>();
      this.#lending.set(pool, ofPool.set(index, lending));
    }
    if (!isFull) this.#open.add(pool);
    const groups = this.#full.get(pool);
    if (groups && isFull) groups.add(index);
    else if (isFull) this.#full.set(pool, new Set([index]));
  }

  /**
   * Marks the pools as full whose block groups were all found full, as a scan would, so that a request skips a pool
   * that it never tried. It leaves a pool of which the run saw only a part to the runs that see all of it. It removes
   * the hint of a pool with an open block group: a crash came after the group's hint was cleared.
   */
  async correctHints(context: Context): Promise<void> {
    await this.#correctLending(context);
    const { store } = context;
    const space = this.#space;
    const configuration = await configurationOf(context, space);
    const { pools, unreadableReservations } = configuration;
    // No request reads the hint of the only pool.
    if (pools.length === 1 || unreadableReservations.length > 0) return;
    const reservedIn = (pool: Pool) => reservedFor(pool, configuration);
    const full = [...this.#full].filter(([pool, groups]) =>
      isUsedUp(pool, groups, reservedIn(pool)),
    );
    if (full.length + this.#open.size === 0) return;
    this.#hints ??= new Map((await store.listFullPools(space)).map((hint) => [hint.poolId, hint]));
    const hints = this.#hints;
    const isCalled = (pool: Pool) => isBelievedFull(pool, hints.get(pool.id), reservedIn(pool));
    const open = [...this.#open].filter(isCalled);
    await inParallel(full, POOLS_CALLED_FULL_AT_ONCE, async ([pool]) => {
      this.#full.delete(pool);
      if (!isCalled(pool)) await asHint(() => callFull(context, pool, reservedIn(pool)));
    });
    await inParallel(open, POOLS_CALLED_FULL_AT_ONCE, async ({ id }) => {
      hints.delete(id);
      await asHint(() => store.clearPoolFull("pool-open", { space, poolId: id }));
    });
  }

  async #correctLending(context: Context): Promise<void> {
    const pools = [...this.#lending];
    this.#lending.clear();
    if (pools.length === 0) return;
    const [only, ...more] = pools;
    const ofOne = more.length === 0 ? only?.[0].id : undefined;
    await asHint(async () => {
      const said = new Lending(context, await context.store.listLending(this.#space, ofOne));
      await inParallel(pools, POOLS_CALLED_FULL_AT_ONCE, ([pool, seen]) =>
        said.correct(pool, seen),
      );
    });
  }
}
