import { PAGE_READS_AT_ONCE, SLOTS_PER_WRITE_MAX } from "../../base/limits.ts";
import { formatAddress } from "../../net/address.ts";
import { type Cidr, contains, formatCidr, ordinalOf } from "../../net/cidr.ts";
import {
  type Application,
  type ListedAddress,
  type ListedState,
  nameOfApplication,
} from "../../nouns/application/application.ts";
import { countsOf, each, isGone, membersOf, restated } from "../../nouns/application/changes.ts";
import { fence } from "../blocks/fence-block.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Allocation, Part } from "../values/allocation.ts";
import type { Block } from "../values/block.ts";
import type { HeldSlot } from "../values/block-changes.ts";
import { blockOf } from "../values/block-group.ts";
import { fresh, shuffled } from "../values/fresh.ts";
import { heldSlot } from "../values/held-slot.ts";

/** Blocks whose addresses leave an application in one write of its item. A request that has no time for all of them ends some. */
export const SETTLED_BLOCKS_PER_WRITE = 64;

/**
 * Settles the addresses of an application that are about to be held, or to go: slots first, and then a write of the item, as it
 * was seen, for some blocks at a time. A `named` address that is held becomes `in`. A `leaving` one that is held is let go, by exactly
 * the entry seen, if the item is unchanged after that: it may list the same address again, and hold it in another entry. One that is
 * neither held nor taken is unlisted after a fence, which rejects the late write of an author that would hold it (I15).
 * An address that an instance has stays. The item of a deleted application goes when it lists nothing.
 *
 * @param how.known blocks as the last writes of this request returned them, by their CIDRs; others are read
 * @param how.only the addresses to settle, as text; without it, all that need it
 * @returns the application after it; nothing if it is gone
 */
export async function settle(
  context: Context,
  seen: Application,
  {
    known = new Map(),
    only,
  }: { readonly known?: Blocks; readonly only?: ReadonlySet<string> } = {},
): Promise<Application | undefined> {
  const due = seen.listed.filter(
    ({ state, address }) => state !== "in" && (!only || only.has(formatAddress(address))),
  );
  const blocks = blocksOfListed(due);
  // A request that has no time for all of them does not always come to the same ones.
  const order =
    blocks.length > SETTLED_BLOCKS_PER_WRITE ? shuffled(blocks, context.random) : blocks;
  let application: Application | undefined = seen;
  let from = 0;
  do {
    const some = order.slice(from, from + SETTLED_BLOCKS_PER_WRITE);
    const addresses = some.flatMap((each) => each.addresses);
    const texts = new Set(addresses.map(({ address }) => formatAddress(address)));
    application = await settleSome(context, application, texts, known);
    from += SETTLED_BLOCKS_PER_WRITE;
  } while (application && from < order.length);
  return application;
}

type Blocks = ReadonlyMap<string, Block>;

/** Settles these addresses, in one write of the item. */
async function settleSome(
  context: Context,
  seen: Application,
  only: ReadonlySet<string>,
  known: Blocks,
): Promise<Application | undefined> {
  const { store } = context;
  let application: Application | undefined = seen;
  let blocks = known;
  return compareAndSwap<Application | undefined>(
    `the application ${nameOfApplication(seen)}`,
    async () => {
      if (!application) return answer(undefined);
      const now = application;
      const due = now.listed.filter(
        ({ state, address }) => state !== "in" && only.has(formatAddress(address)),
      );
      const states = await settleSlots(context, now, due, blocks);
      if (states) {
        const next = states.size > 0 ? restated(now, states, fresh(context)) : now;
        const written = next === now ? DONE : await store.changeApplication("settle", now, next);
        const isOver = written.outcome === "done" && isGone(next);
        const left = isOver ? await store.deleteApplication(next) : written;
        if (left.outcome === "done") return answer(isOver ? undefined : next);
      }
      blocks = new Map();
      application = await store.readApplication(now.space, now);
      return RETRY;
    },
  );
}

const DONE = { outcome: "done" } as const;

/**
 * Settles the slots of some addresses of an application.
 *
 * @returns the states that they then show; nothing if the application, or what is held for it, has changed since it was seen
 */
async function settleSlots(
  context: Context,
  application: Application,
  due: readonly ListedAddress[],
  known: Blocks,
): Promise<States | undefined> {
  const { store } = context;
  const { space } = application;
  const places = await inParallel(blocksOfListed(due), PAGE_READS_AT_ONCE, async (some) => ({
    ...some,
    seen: known.get(formatCidr(some.cidr)) ?? (await store.readBlock(space, some.cidr)),
  }));
  if (places.some((place) => leavingIn(application, place, place.seen).length > 0)) {
    const current = await store.readApplication(space, application);
    if (current?.revision !== application.revision) return undefined;
  }
  const settled = await inParallel(places, PAGE_READS_AT_ONCE, (place) =>
    settleBlock(context, application, place),
  );
  const states = settled.flatMap((each) => each ?? []);
  return states.length < settled.length ? undefined : new Map(states.flatMap((each) => [...each]));
}

type States = ReadonlyMap<string, ListedState | null>;

/** Addresses of a block, and the block as it was read before the application was read again. */
interface Place extends ListedInBlock {
  readonly seen: Block | undefined;
}

/** Returns the held slots of a block whose addresses leave. */
const leavingIn = (
  application: Application,
  { addresses }: ListedInBlock,
  block: Block | undefined,
): readonly HeldSlot[] =>
  addresses
    .filter(({ state }) => state === "leaving")
    .flatMap((listed) => heldSlot(application, block, listed) ?? []);

/**
 * Lets go of the leaving addresses of one block.
 *
 * @returns the states that the block then shows; nothing if one of them is held since the application was read
 */
async function settleBlock(
  context: Context,
  application: Application,
  { seen, ...place }: Place,
): Promise<States | undefined> {
  const { store } = context;
  const { space } = application;
  const { cidr, addresses } = place;
  const before = new Set(leavingIn(application, place, seen).map(entryOf));
  let block = seen;
  let isFenced = false;
  return compareAndSwap<States | undefined>("the block of held addresses", async () => {
    const held = leavingIn(application, place, block);
    if (!held.every((each) => before.has(entryOf(each)))) return answer(undefined);
    const goes = held.slice(0, SLOTS_PER_WRITE_MAX);
    if (goes.length > 0) {
      const ids = { epoch: fresh(context), revision: fresh(context) };
      const freed = await store.freeHeldSlots({ space, cidr }, goes, context.now(), ids);
      // This write changed the epoch, so that it is a fence as well.
      isFenced ||= freed.outcome === "done";
      block = freed.outcome === "unknown" ? await store.readBlock(space, cidr) : freed.item;
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

const entryOf = ({ ordinal, seen: { token } }: HeldSlot): string => `${ordinal} ${token}`;

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

/** Listed addresses of one block. */
export interface ListedInBlock<Listed extends ListedAddress = ListedAddress> {
  readonly cidr: Cidr;
  readonly addresses: readonly Listed[];
}

/** Returns the addresses that an application lists by their blocks, in the order of the list. */
export function blocksOfListed<Listed extends ListedAddress>(
  addresses: readonly Listed[],
): readonly ListedInBlock<Listed>[] {
  const found = new Map<string, { readonly cidr: Cidr; readonly addresses: Listed[] }>();
  for (const listed of addresses) {
    const cidr = blockOf(listed.address, listed.blockSize);
    const known = found.get(formatCidr(cidr)) ?? { cidr, addresses: [] };
    known.addresses.push(listed);
    found.set(formatCidr(cidr), known);
  }
  return [...found.values()];
}

/**
 * Returns the addresses that an application has beyond its number, and that no instance has: the highest first, so that few blocks
 * stay in use. Those that an instance has go when it releases them.
 *
 * @param options.countMax the most addresses of the answer; without it, all
 * @param options.among the addresses that may go; without it, all that the application lists
 */
export async function freeSurplus(
  context: Context,
  application: Application,
  { countMax, among }: { readonly countMax?: number; readonly among?: readonly ListedAddress[] },
): Promise<readonly ListedAddress[]> {
  const goes: ListedAddress[] = [];
  for (const { target, surplus } of countsOf(application)) {
    if (surplus === 0) continue;
    const members = membersOf(application, target).filter(
      (each) => each.state === "in" && (!among || among.includes(each)),
    );
    const free = await withoutTaken(context, application.space, members);
    goes.push(...free.slice(0, surplus));
  }
  return goes.slice(0, countMax);
}

/** Returns the addresses that are not taken, in falling order. */
async function withoutTaken(
  { store }: Context,
  space: string,
  members: readonly ListedAddress[],
): Promise<readonly ListedAddress[]> {
  const some = await inParallel(
    blocksOfListed(members),
    PAGE_READS_AT_ONCE,
    async ({ cidr, addresses }) => {
      const block = await store.readBlock(space, cidr);
      return addresses.filter(
        ({ address }) => block?.slots.get(ordinalOf(cidr, address))?.kind !== "taken",
      );
    },
  );
  return some.flat().toSorted((a, b) => (a.address.value > b.address.value ? -1 : 1));
}

/**
 * Makes addresses of an application leave, and settles them.
 *
 * @returns the application after it, if it is not gone; nothing if it has changed since it was seen
 */
export async function leave(
  context: Context,
  seen: Application,
  goes: readonly ListedAddress[],
): Promise<{ readonly application: Application | undefined } | undefined> {
  const only = new Set(goes.map(({ address }) => formatAddress(address)));
  if (goes.every(({ state }) => state === "leaving"))
    return { application: await settle(context, seen, { only }) };
  const next = restated(seen, each(goes, "leaving"), fresh(context));
  const written = await context.store.changeApplication("leave", seen, next);
  return written.outcome === "done"
    ? { application: await settle(context, next, { only }) }
    : undefined;
}

/**
 * Settles addresses that an instance freed, and that its application holds again. Most stay. An address goes if the
 * application lists it as leaving, if the application has more than its number, or if the address was reported as a conflict.
 *
 * It reads the application after the slots were freed. A change of the application writes the item before it looks at the slots. So one
 * of the two sees the other, and no address is left over (I15).
 */
export async function settleFreed(context: Context, allocation: Allocation): Promise<void> {
  const { workload, conflicts, place } = allocation;
  const blocks = allocation.parts.filter(isOfApplication).map(({ block }) => block);
  if (!workload || blocks.length === 0) return;
  await compareAndSwap(`the application ${nameOfApplication(workload)}`, async () => {
    const seen = await context.store.readApplication(place.space, workload);
    if (!seen) return answer(undefined);
    const near = seen.listed.filter(({ address }) =>
      blocks.some((cidr) => contains(cidr, address)),
    );
    const lost = near.filter(
      ({ state, address }) => state === "leaving" || conflicts.has(formatAddress(address)),
    );
    const without = restated(seen, each(lost, "leaving"), seen.revision);
    const goes = [...lost, ...(await freeSurplus(context, without, { among: near }))];
    const isOver = goes.length === 0 || (await leave(context, seen, goes)) !== undefined;
    return isOver ? answer(undefined) : RETRY;
  });
}

const isOfApplication = ({ ofApplication }: Part): boolean => ofApplication === true;
