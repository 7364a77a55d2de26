import type { Application, ListedAddress } from "../../../domain/application.ts";
import { each, isGone, restated } from "../../../domain/application-changes.ts";
import { ordinalOf } from "../../../domain/cidr.ts";
import { mintedAtMs } from "../../../domain/fresh.ts";
import { APPLICATION_ADDRESSES_MAX, GRACE_MS, PAGE_READS_AT_ONCE } from "../../../domain/limits.ts";
import { blocksOfListed } from "../../applications/blocks-of-listed.ts";
import { freeSurplus } from "../../applications/free-surplus.ts";
import { heldSlot, settle } from "../../applications/settle.ts";
import { type Context, fresh } from "../../core/context.ts";
import { inParallel } from "../../core/parallel.ts";

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
  const surplus = await freeSurplus(context, seen, APPLICATION_ADDRESSES_MAX);
  const lost = await lostOf(context, seen);
  if (surplus.length + lost.length > 0) {
    const states = each([...surplus, ...lost], "leaving");
    const next = restated(seen, states, fresh(context));
    const written = await store.changeApplication("settle", seen, next);
    // Another request changed it, and settles what it left.
    if (written.outcome !== "done") return;
    await settle(context, next);
  } else if (seen.listed.some(({ state }) => state !== "in") || isGone(seen))
    await settle(context, seen);
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
