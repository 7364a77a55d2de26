import type { Cidr } from "../../net/cidr.ts";
import type { Charge } from "../../nouns/quota/budget.ts";
import { clearIfWasFull } from "../blocks/full-block-hint.ts";
import { noteIfOpened } from "../blocks/lending-hint.ts";
import { asHint } from "../core/bounded-work.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../core/compare-and-swap.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { giveBack } from "../quotas/give-back.ts";
import { type Block, takenUnder } from "../values/block.ts";
import type { FreedSlot } from "../values/block-changes.ts";
import { fresh } from "../values/fresh.ts";
import { isReleased } from "../values/slot.ts";

/** Taken slots under one tag, their block, and what they become. */
export interface SlotsOfPart {
  readonly space: string;
  readonly block: Cidr;
  readonly token: string;
  readonly handleHash: string;
  /** True if freed slots cool. Slots that no caller was told of do not. */
  readonly cools: boolean;
  /** The ordinals that were reported as conflicts: they go into quarantine. */
  readonly conflicts?: ReadonlySet<number>;
  /** The budgets that count the slots. A slot that this call frees is given back to them. */
  readonly charges?: readonly Charge[];
  /** True if a caller named an address, which frees no prefix. */
  readonly isOfAddress?: true;
  /** The hash of the application that holds the freed slots again; absent if they are not an application's. */
  readonly applicationHash?: string;
}

/** The result of a free: the slots that this call freed, and the block after it. */
export interface Freed {
  readonly freed: readonly number[];
  readonly block: Block | undefined;
  /** True if the outcome of the write that freed them is known. */
  readonly isCertain?: true;
}

/**
 * Frees slots that are taken under exactly this tag (I5). Slots under another tag stay.
 *
 * @param likely the ordinals that probably have the tag. They are tried without a read; if that fails, the returned block decides
 * @param only the ordinals to free, of those that have the tag; absent: all
 */
export async function freeSlots(
  context: Context,
  slots: SlotsOfPart,
  likely: readonly number[],
  only?: ReadonlySet<number>,
): Promise<Freed> {
  const result = await freeInBlock(context, slots, likely, only);
  const { block, freed: ordinals, isCertain } = result;
  // After an unknown outcome another caller may have freed them, and may have given them back.
  if (slots.charges && isCertain)
    await giveBack(context, slots.space, slots.charges, ordinals.length);
  if (block && ordinals.length > 0)
    await awaitAll(
      asHint(() => clearIfWasFull(context, block, ordinals)),
      asHint(() => noteIfOpened(context, block, ordinals)),
    );
  return result;
}

async function freeInBlock(
  context: Context,
  slots: SlotsOfPart,
  likely: readonly number[],
  only: ReadonlySet<number> | undefined,
): Promise<Freed> {
  const { store } = context;
  const release = await releaseOf(context, slots);
  const taken = { kind: "taken", token: slots.token, handleHash: slots.handleHash } as const;
  const unsure = new Set<number>();
  let ordinals = likely;
  // A slot that cools or is held under the token was taken. A slot that looks free may still be taken by a late write.
  let wereTaken = slots.cools || slots.applicationHash !== undefined;
  const decided = (block: Block | undefined): Step<Freed> => {
    ordinals = takenUnder(block, slots.token).filter((n) => only === undefined || only.has(n));
    wereTaken = true;
    const isKept = slots.isOfAddress === true && block?.whole === true;
    return ordinals.length === 0 || isKept
      ? answer({ freed: freedOf(block, slots, unsure), block })
      : RETRY;
  };
  return compareAndSwap("the block of the slots to be freed", async () => {
    if (ordinals.length === 0) return decided(await store.readBlock(slots.space, slots.block));
    const result = await store.freeSlots(
      { space: slots.space, cidr: slots.block },
      [
        {
          taken,
          freed: new Map(ordinals.map((ordinal) => [ordinal, release(ordinal)])),
          ...(slots.isOfAddress && { isOfAddress: true }),
        },
      ],
      fresh(context),
    );
    if (result.outcome === "done") {
      context.cache.refresh(result.item);
      return answer({ freed: ordinals, block: result.item, isCertain: true });
    }
    if (result.outcome === "lost") return decided(result.item);
    // Rule 3: after an unknown outcome the block is read. A late write of this one frees only what it was to free.
    if (wereTaken) for (const ordinal of ordinals) unsure.add(ordinal);
    return decided(await store.readBlock(slots.space, slots.block));
  });
}

/** Returns what each slot becomes when it is freed. Only a conflict needs the configuration. */
async function releaseOf(
  context: Context,
  { space, token, handleHash, cools, conflicts, applicationHash }: SlotsOfPart,
): Promise<(ordinal: number) => FreedSlot> {
  const seconds = cools && conflicts?.size ? await quarantineSeconds(context, space) : 0;
  return (ordinal) => {
    const sinceMs = context.now();
    if (cools && conflicts?.has(ordinal))
      return { kind: "quarantined", token, handleHash, sinceMs, seconds };
    if (applicationHash !== undefined) return { kind: "held", token, applicationHash };
    return cools ? { kind: "cooling", token, sinceMs } : null;
  };
}

/** Returns how long the address of a reported conflict is kept from everybody. @throws {CorruptItemError} */
export async function quarantineSeconds(context: Context, space: string): Promise<number> {
  return (await configurationOf(context, space)).settings.conflictQuarantineSeconds;
}

/** Returns the slots whose release had an unknown outcome, and that the block shows as freed. */
function freedOf(
  block: Block | undefined,
  slots: SlotsOfPart,
  unsure: ReadonlySet<number>,
): number[] {
  return [...unsure].filter((ordinal) => {
    const slot = block?.slots.get(ordinal);
    const isGone = !slots.cools && slots.applicationHash === undefined;
    if (isGone || !slot) return isGone;
    return (isReleased(slot) || slot.kind === "held") && slot.token === slots.token;
  });
}
