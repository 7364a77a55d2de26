import { GRACE_MS, PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import type { Context } from "../../kernel/core/context.ts";
import { inParallel } from "../../kernel/core/parallel.ts";
import { blocksOfListed, freeSurplus, leave, settle } from "../../kernel/held/settle.ts";
import { mintedAtMs } from "../../kernel/values/fresh.ts";
import { heldSlot } from "../../kernel/values/held-slot.ts";
import { ordinalOf } from "../../net/cidr.ts";
import type { Application, ListedAddress } from "../../nouns/application/application.ts";
import { isGone } from "../../nouns/application/changes.ts";
import { endLost } from "../../nouns/application/operations/end-lost.ts";

/**
 * Finishes what a crash left of an application: `named` and `leaving` addresses, what is beyond its number and free, and the item of
 * a deleted one. An address that is neither held nor its own, as after a conflict, leaves the list, so that the next PUT makes up
 * for it.
 *
 * @param suggested as a walk read it
 */
export async function repairApplication(context: Context, suggested: Application): Promise<void> {
  const { store } = context;
  if (isYoung(context, suggested)) return;
  const seen = await store.readApplication(suggested.space, suggested);
  if (!seen || isYoung(context, seen)) return;
  const surplus = await freeSurplus(context, seen, {});
  const lost = await lostOf(context, seen);
  const goes = [...surplus, ...lost];
  const left = goes.length > 0 ? await leave(context, seen, goes) : { application: seen };
  // Without a settlement another request changed it, and settles what it left.
  const now = left?.application && (await endLost(context, left.application));
  if (now && (now.listed.some(({ state }) => state !== "in") || isGone(now)))
    await settle(context, now);
}

const isYoung = (context: Context, { revision }: Application): boolean =>
  context.now() - mintedAtMs(revision) <= GRACE_MS;

/** Returns the addresses that an application lists as its own, and that are neither held for it nor its instances'. */
async function lostOf(
  context: Context,
  application: Application,
): Promise<readonly ListedAddress[]> {
  const members = application.listed.filter(({ state }) => state === "in");
  const lost = await inParallel(
    blocksOfListed(members),
    PAGE_READS_AT_ONCE,
    async ({ cidr, addresses }) => {
      const block = await context.store.readBlock(application.space, cidr);
      const others = addresses.filter((listed) => !heldSlot(application, block, listed));
      const slotOf = ({ address }: ListedAddress) => block?.slots.get(ordinalOf(cidr, address));
      return others.filter((listed) => slotOf(listed)?.kind !== "taken");
    },
  );
  return lost.flat();
}
