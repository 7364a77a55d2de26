import { SLOTS_PER_WRITE_MAX } from "../../base/limits.ts";
import type { Rejection } from "../../base/outcome.ts";
import type { Family } from "../../net/address.ts";
import { sameCidr } from "../../net/cidr.ts";
import type { Application } from "../../nouns/application/application.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import type { PoolCandidate } from "../../selection/selection.ts";
import type { Claiming } from "../quotas/claim-charge.ts";
import { type Block, withTaken } from "../values/block.ts";
import type { FreedByTime } from "../values/freed-by-time.ts";
import type { HostId, HostReserved } from "../values/host.ts";
import { isReleased } from "../values/slot.ts";
import type { StatedAddress } from "../values/stated-address.ts";

/** The slots that one write of a request takes. */
export interface SlotSelection {
  readonly block: Block;
  readonly ordinals: readonly number[];
  /** The ranged pool that the addresses are of. */
  readonly pool?: string;
  /** True if they are the addresses of the workload's application. */
  readonly ofApplication?: true;
  /** True if one of them was released, and the host uses it all the same. */
  readonly coolsAgain?: true;
  /** The interface that they are for; absent if the request names none. */
  readonly interface?: string;
  /** Chooses as many others after another caller took one of them. Returns nothing if the block cannot serve any more. */
  readonly again: (block: Block) => readonly number[] | undefined;
}

/** The part of a request for one family, of one interface if it names any. */
export interface FamilyRequest {
  readonly space: string;
  readonly host: HostId;
  readonly family: Family;
  readonly interface?: string;
  readonly count: number;
  /** The addresses that the host says it has, which alone it may get. */
  readonly stated?: StatedPlaces;
  /** The application whose addresses alone may serve, and its interface. */
  readonly ofApplication?: ApplicationAsked;
  /** The pools that may serve, in order. */
  readonly pools: readonly Pool[];
  /** Returns the pools that the rule of the request gives, and that their conditions or states leave out. */
  readonly leftOut?: () => readonly PoolCandidate[];
  /** The pools of all stages: the blocks that the host has in them count towards its limit. */
  readonly serving?: readonly Pool[];
  readonly configuration: SpaceConfiguration;
  /** The caller, for the quotas of blocks. */
  readonly claiming: Claiming;
  /** The stricter of the request's limit and the space's; infinite without one. */
  readonly blocksMax: number;
  /** The host-reserved addresses in blocks that are claimed now. */
  readonly hostReserved?: HostReserved | undefined;
  /** The slots that the request takes for its other interfaces, and those of the other requests of its batch: it takes others. */
  readonly others?: readonly SlotSelection[];
  /** True if the request accepts fewer addresses than it wants. */
  readonly allowPartial: boolean;
}

/** The addresses that a host says it has, with their pools. */
export interface StatedPlaces {
  readonly places: readonly StatedPlace[];
  /** The rejections of those that no pool can serve. */
  readonly unfit: readonly Rejection[];
}

interface StatedPlace extends StatedAddress {
  readonly pool: Pool;
}

/** An application as its copy has it, and the interface whose addresses are asked for. */
export interface ApplicationAsked {
  readonly application: Application;
  readonly interface: string;
}

/** The slots that a search found, and why they are fewer than wanted. */
export interface FoundSlots {
  readonly selections: readonly SlotSelection[];
  readonly rejection?: Rejection;
  /** The addresses that time alone frees, beside a rejection. */
  readonly freed?: FreedByTime;
}

/** Ordinals that a request takes of a block, and how it chooses others there. */
interface Choice
  extends Pick<SlotSelection, "block" | "ordinals" | "pool" | "ofApplication" | "coolsAgain"> {
  choose(block: Block, count: number, how: { readonly isRetry: boolean }): readonly number[];
}

/** Divides a choice into what one write takes: at most `SLOTS_PER_WRITE_MAX` slots. */
export function slotsOf({ choose, ...choice }: Choice): readonly SlotSelection[] {
  const { ordinals } = choice;
  const selections: SlotSelection[] = [];
  for (let from = 0; from < ordinals.length; from += SLOTS_PER_WRITE_MAX) {
    const part = ordinals.slice(from, from + SLOTS_PER_WRITE_MAX);
    const again = (now: Block) => {
      const others = choose(now, part.length, { isRetry: true });
      return others.length === part.length ? others : undefined;
    };
    selections.push({ ...choice, ordinals: part, again });
  }
  return selections;
}

/** Says of slots that a host uses already whether one of them was released. */
export const coolsAgain = (
  { slots }: Block,
  ordinals: readonly number[],
): Pick<SlotSelection, "coolsAgain"> =>
  ordinals.some((ordinal) => {
    const slot = slots.get(ordinal);
    return slot !== undefined && isReleased(slot);
  })
    ? { coolsAgain: true }
    : {};

/** Returns a block as it will be when the others have taken their slots. */
export function besideOthers({ others = [] }: FamilyRequest, block: Block): Block {
  const taken = others
    .filter((other) => sameCidr(other.block.cidr, block.cidr))
    .flatMap(({ ordinals }) => ordinals);
  return taken.length === 0 ? block : withTaken(block, taken);
}

export const slotCount = (
  selections: readonly { readonly ordinals: readonly number[] }[],
): number => selections.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
