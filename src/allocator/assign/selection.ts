import type { Family } from "../../domain/address.ts";
import type { Block } from "../../domain/block.ts";
import type { HostId } from "../../domain/host.ts";
import type { HostReserved } from "../../domain/host-reserved.ts";
import type { Pool, SpaceConfiguration } from "../../domain/pool.ts";

/** The slots that one write of a request takes. */
export interface SlotSelection {
  readonly block: Block;
  readonly ordinals: readonly number[];
  /** Chooses as many others after another caller took one of them. Returns nothing if the block cannot serve any more. */
  readonly again: (block: Block) => readonly number[] | undefined;
}

/** The part of a request for one family. */
export interface FamilyRequest {
  readonly space: string;
  readonly host: HostId;
  readonly family: Family;
  readonly count: number;
  /** The pools that may serve, in order. */
  readonly pools: readonly Pool[];
  readonly configuration: SpaceConfiguration;
  /** The stricter of the request's limit and the space's; infinite without one. */
  readonly blocksMax: number;
  /** The host-reserved addresses in blocks that are claimed now. */
  readonly hostReserved?: HostReserved | undefined;
  /** True if the request accepts fewer addresses than it wants. */
  readonly allowPartial: boolean;
}

export const countOf = (selections: readonly { readonly ordinals: readonly number[] }[]): number =>
  selections.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
