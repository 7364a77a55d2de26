import { Rejection, together } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { addressAt, formatCidr, ordinalOf } from "../../net/cidr.ts";
import { isRanged, type Pool } from "../../nouns/pool/pool.ts";
import type { Granted } from "../allocations/holding.ts";
import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import { blockOf } from "../values/block-group.ts";
import { blockOfAddress } from "./block-of-address.ts";
import { coolsAgain, type FamilyRequest, type SlotSelection, slotsOf } from "./selection.ts";
import { whyNotFree } from "./why-not-free.ts";

/**
 * Selects the slots of the addresses that a host says it has, and that the request does not have yet. It passes over those that
 * cannot be assigned.
 *
 * @returns the slots; or the rejections, if none of the addresses can be assigned
 */
export async function selectStated(
  context: Context,
  familyRequests: readonly FamilyRequest[],
  granted: readonly Granted[],
): Promise<readonly SlotSelection[] | Rejection> {
  const has = new Set(granted.flatMap(addressesOf).map(formatAddress));
  const selections: SlotSelection[] = [];
  const rejections: Rejection[] = [];
  for (const familyRequest of familyRequests) {
    const found = await selectOfFamily(context, familyRequest, has);
    selections.push(...found.selections);
    rejections.push(...found.rejections);
  }
  const [first, ...others] = rejections;
  return selections.length === 0 && first ? together(first, ...others) : selections;
}

/** The slots of one block that a request takes. */
interface InBlock {
  readonly block: Block;
  readonly pool: Pool;
  readonly ordinals: number[];
}

async function selectOfFamily(
  context: Context,
  familyRequest: FamilyRequest,
  has: ReadonlySet<string>,
) {
  const { places = [], unfit = [] } = familyRequest.stated ?? {};
  const blocks = new Map<string, Block | Rejection>();
  const chosen = new Map<string, InBlock>();
  const rejections = [...unfit];
  // One after another, because the claim of a block takes a place in the list of the host's affinities.
  for (const { pool, ...stated } of places) {
    const { address } = stated;
    if (has.has(formatAddress(address))) continue;
    const name = formatCidr(blockOf(address, pool.blockSize));
    const block = blocks.get(name) ?? (await blockOfAddress(context, familyRequest, pool, address));
    blocks.set(name, block);
    const rejected =
      block instanceof Rejection
        ? block
        : await whyNotFree(context, familyRequest, { block, pool }, stated);
    if (rejected) rejections.push(rejected);
    if (rejected || block instanceof Rejection) continue;
    const place = `${name} ${pool.name}`;
    const others = chosen.get(place)?.ordinals ?? [];
    chosen.set(place, { block, pool, ordinals: [...others, ordinalOf(block.cidr, address)] });
  }
  return { selections: [...chosen.values()].flatMap(selectionsOf), rejections };
}

/** After another caller took one of them, the next round selects the others. */
const selectionsOf = ({ block, pool, ordinals }: InBlock): readonly SlotSelection[] =>
  slotsOf({
    block,
    ordinals,
    choose: () => [],
    ...coolsAgain(block, ordinals),
    ...(isRanged(pool) && { pool: pool.name }),
  });

const addressesOf = ({ held }: Granted): readonly Address[] =>
  held.flatMap(({ block, ordinals }) => ordinals.map((ordinal) => addressAt(block.cidr, ordinal)));
