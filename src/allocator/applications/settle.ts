import { type Address, formatAddress } from "../../domain/address.ts";
import {
  type Application,
  applicationHash,
  type ListedAddress,
  type ListedState,
  nameOfApplication,
} from "../../domain/application.ts";
import { isGone, restated } from "../../domain/application-changes.ts";
import type { Block } from "../../domain/block.ts";
import type { HeldSlot } from "../../domain/block-changes.ts";
import { formatCidr, ordinalOf } from "../../domain/cidr.ts";
import { PAGE_READS_AT_ONCE, SLOTS_PER_WRITE_MAX } from "../../domain/limits.ts";
import { fence } from "../blocks/fence-block.ts";
import { compareAndSwap } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { answer, RETRY } from "../core/step.ts";
import { blocksOfListed, type ListedInBlock } from "./blocks-of-listed.ts";

/** The result of a settlement. */
export interface Settled {
  /** The application after it; nothing if it is gone. */
  readonly application: Application | undefined;
  /** The addresses that went. */
  readonly released: readonly Address[];
}

/**
 * Settles the addresses of an application that are about to be held, or to go: slots first, and then one write of the item, as it
 * was seen. A `named` address that is held becomes `in`. A `leaving` one that is held is let go, by exactly the entry seen. One that
 * is neither held nor taken is unlisted after a fence, which rejects the late write of an author that would hold it (I15).
 * An address that an instance has stays. The item of a deleted application goes when it lists nothing.
 *
 * @param known blocks as the last writes of this request returned them, by their CIDRs; others are read
 */
export async function settle(
  context: Context,
  seen: Application,
  known: ReadonlyMap<string, Block> = new Map(),
): Promise<Settled> {
  const { store } = context;
  const released = new Map<string, Address>();
  let application: Application | undefined = seen;
  let blocks = known;
  return compareAndSwap<Settled>(`the application ${nameOfApplication(seen)}`, async () => {
    if (!application) return answer({ application, released: [...released.values()] });
    const now = application;
    const states = await settleSlots(context, now, blocks);
    for (const { address, state } of now.listed) {
      const text = formatAddress(address);
      if (state === "leaving" && states.get(text) === null) released.set(text, address);
    }
    const next = states.size > 0 ? restated(now, states, fresh(context)) : now;
    const written = next === now ? DONE : await store.changeApplication("settle", now, next);
    const isOver = written.outcome === "done" && isGone(next);
    const left = isOver ? await store.deleteApplication(next) : written;
    if (left.outcome === "done")
      return answer({ application: isOver ? undefined : next, released: [...released.values()] });
    blocks = new Map();
    application = await store.readApplication(now.space, now);
    return RETRY;
  });
}

const DONE = { outcome: "done" } as const;

/** Settles the slots of an application, and returns the states that they then show. */
async function settleSlots(
  context: Context,
  application: Application,
  known: ReadonlyMap<string, Block>,
): Promise<States> {
  const due = application.listed.filter(({ state }) => state !== "in");
  const settled = await inParallel(blocksOfListed(due), PAGE_READS_AT_ONCE, (some) =>
    settleBlock(context, application, some, known.get(formatCidr(some.cidr))),
  );
  return new Map(settled.flatMap((each) => [...each]));
}

type States = ReadonlyMap<string, ListedState | null>;

/** Lets go of the leaving addresses of one block, and returns the states that the block then shows. */
async function settleBlock(
  context: Context,
  application: Application,
  { cidr, addresses }: ListedInBlock,
  known: Block | undefined,
): Promise<States> {
  const { store } = context;
  const { space } = application;
  let block = known ?? (await store.readBlock(space, cidr));
  let isFenced = false;
  return compareAndSwap<States>("the block of held addresses", async () => {
    const goes = addresses
      .filter(({ state }) => state === "leaving")
      .flatMap((listed) => heldSlot(application, block, listed) ?? [])
      .slice(0, SLOTS_PER_WRITE_MAX);
    if (goes.length > 0) {
      const ids = { epoch: fresh(context), revision: fresh(context) };
      const letGo = await store.letGoSlots({ space, cidr }, goes, context.now(), ids);
      // This write changed the epoch, so that it is a fence as well.
      isFenced ||= letGo.outcome === "done";
      block = letGo.outcome === "unknown" ? await store.readBlock(space, cidr) : letGo.item;
      return RETRY;
    }
    const states = new Map(
      addresses.flatMap((listed) => {
        const next = nextState(application, block, listed);
        return next === listed.state ? [] : [[formatAddress(listed.address), next] as const];
      }),
    );
    if (isFenced || ![...states.values()].includes(null)) return answer(states);
    block = await fence(context, "settle-fence", space, cidr);
    isFenced = true;
    return RETRY;
  });
}

/** Returns the state of a listed address by its slot; `null` if nothing ties it to the application. */
function nextState(
  application: Application,
  block: Block | undefined,
  listed: ListedAddress,
): ListedState | null {
  if (heldSlot(application, block, listed)) return listed.state === "named" ? "in" : listed.state;
  // Instances take only addresses that are held, so that a named one that is taken is another's.
  const isTaken = block?.slots.get(ordinalOf(block.cidr, listed.address))?.kind === "taken";
  return isTaken && listed.state === "leaving" ? "leaving" : null;
}

/** Returns the slot of an address if it is held for the application. */
export function heldSlot(
  application: Application,
  block: Block | undefined,
  { address }: Pick<ListedAddress, "address">,
): HeldSlot | undefined {
  if (!block) return undefined;
  const ordinal = ordinalOf(block.cidr, address);
  const slot = block.slots.get(ordinal);
  return slot?.kind === "held" && slot.applicationHash === applicationHash(application)
    ? { ordinal, seen: slot }
    : undefined;
}
