import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import type { Rejection } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { includesAddress } from "../../net/address-set.ts";
import { formatCidr } from "../../net/cidr.ts";
import type { Application, ListedAddress } from "../../nouns/application/application.ts";
import { membersOf } from "../../nouns/application/changes.ts";
import type { Context } from "../core/context.ts";
import { applicationCopy } from "../core/labels.ts";
import { inParallel } from "../core/parallel.ts";
import { blocksOfListed, type ListedInBlock } from "../held/settle.ts";
import type { Block } from "../values/block.ts";
import { shuffled } from "../values/fresh.ts";
import { heldSlot } from "../values/held-slot.ts";
import { noneHeld } from "./rejections.ts";
import { readApplicationAnew } from "./requester.ts";
import {
  type ApplicationAsked,
  type FamilyRequest,
  type SlotSelection,
  slotCount,
  slotsOf,
} from "./selection.ts";

/** The addresses of an application that may serve: those of an interface, or one of them. */
interface HeldAsked extends ApplicationAsked {
  readonly address?: Address;
}

/**
 * Selects slots that are held for the application of the workload: in the blocks that this function knows if they suffice, else in
 * those of the addresses that the application lists, some at a time. The list may be an old copy, because a write takes only a slot that
 * is held as it was seen. Before a rejection the application is read again, so that an address that it just got serves. A reserved
 * address serves only a request that names it (docs/decisions/038).
 *
 * @returns the slots; or `pool_exhausted`, after every block of the current list was read
 * @throws {CorruptItemError} if a reservation cannot be read
 */
export async function selectHeld(
  context: Context,
  familyRequest: FamilyRequest,
  asked: HeldAsked,
): Promise<readonly SlotSelection[] | Rejection> {
  const { space, count } = familyRequest;
  const copied = asked.application;
  const selections = await search(context, familyRequest, asked);
  if (slotCount(selections) === count) return selections;
  const application = await readApplicationAnew(context, space, copied);
  const isCurrent = !application || application.revision === copied.revision;
  const now = isCurrent ? asked : { ...asked, application };
  const current = isCurrent ? selections : await search(context, familyRequest, now);
  const missing = count - slotCount(current);
  if (missing <= 0) return current;
  const { length } = listedIn(now, familyRequest.family);
  const reserved = length - servingIn(now, familyRequest).length;
  return noneHeld(familyRequest, now.application, { missing, reserved });
}

/** Selects up to the wanted number of slots. */
async function search(
  context: Context,
  familyRequest: FamilyRequest,
  asked: HeldAsked,
): Promise<readonly SlotSelection[]> {
  const { space, count } = familyRequest;
  const { application } = asked;
  const places = shuffled(blocksOfListed(servingIn(asked, familyRequest)), context.random);
  const known = context.cache.blocksOfApplication(applicationCopy(space, application));
  const select = (seen: readonly Seen[], countMax: number) =>
    selectFrom(context, familyRequest, application, seen, countMax);
  const inKnown = select(
    places.map((place) => ({ ...place, block: known.get(formatCidr(place.cidr)) })),
    count,
  );
  if (slotCount(inKnown) === count) return inKnown;
  const selections: SlotSelection[] = [];
  for (let from = 0; from < places.length; from += PAGE_READS_AT_ONCE) {
    const some = places.slice(from, from + PAGE_READS_AT_ONCE);
    const read = await inParallel(some, PAGE_READS_AT_ONCE, async (place) => ({
      ...place,
      block: await context.store.readBlock(space, place.cidr),
    }));
    selections.push(...select(read, count - slotCount(selections)));
    if (slotCount(selections) === count) return selections;
  }
  return selections;
}

/** Returns the addresses that may serve: without a name, those that no reservation covers. */
const servingIn = (
  asked: HeldAsked,
  { family, configuration: { reserved } }: FamilyRequest,
): readonly ListedAddress[] =>
  listedIn(asked, family).filter(
    ({ address }) => asked.address || !includesAddress(reserved, address),
  );

/** Returns the addresses that the application has for the interface, or the named one of them. */
const listedIn = (
  { application, address, ...of }: HeldAsked,
  family: Address["family"],
): readonly ListedAddress[] =>
  membersOf(application, { ...of, family })
    .filter(({ state }) => state === "in")
    .filter((each) => !address || formatAddress(each.address) === formatAddress(address));

/** Addresses of a block, and the block as it was read. */
interface Seen extends ListedInBlock {
  readonly block: Block | undefined;
}

/** Selects up to `countMax` of the slots that are held for the application, each from the pool of its address. */
function selectFrom(
  { random }: Context,
  { configuration }: FamilyRequest,
  application: Application,
  seen: readonly Seen[],
  countMax: number,
): readonly SlotSelection[] {
  const selections: SlotSelection[] = [];
  for (const { block, addresses } of seen)
    for (const { id, name: pool } of block ? configuration.pools : []) {
      const own = addresses.filter(({ poolId }) => poolId === id);
      const choose = (now: Block, count: number): readonly number[] => {
        const held = own.flatMap((each) => heldSlot(application, now, each)?.ordinal ?? []);
        return shuffled(held, random).slice(0, count);
      };
      if (!block || own.length === 0) continue;
      const ordinals = choose(block, countMax - slotCount(selections));
      selections.push(...slotsOf({ block, ordinals, choose, pool, ofApplication: true }));
    }
  return selections;
}
