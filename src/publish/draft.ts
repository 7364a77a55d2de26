import type { EventType } from "../base/event-type.ts";
import type { Block } from "../kernel/values/block.ts";
import type { SlotEvent } from "../kernel/values/slot-events.ts";
import type { AddressDetail } from "./address-detail.ts";
import type { Json } from "./json.ts";

export type Detail = Readonly<Record<string, Json>>;

/** An event as its change alone tells it. */
export type Draft =
  /** A slot was assigned or released: the allocation with its token tells the owner. */
  | { readonly kind: "slot"; readonly block: Block; readonly event: SlotEvent }
  /** A field of an assigned address changed. */
  | {
      readonly kind: "owner";
      readonly space: string;
      readonly handleHash: string;
      readonly token: string;
      readonly detail: AddressDetail;
      /** The changed fields that events tell of an assigned address. */
      readonly changed: Detail;
      /** The names of the fields that it no longer has. */
      readonly takenOff: readonly string[];
    }
  /** The lease of an assigned address or prefix was taken off: no event, but its release is no expiry then. */
  | {
      readonly kind: "unleased";
      readonly space: string;
      readonly handleHash: string;
      readonly token: string;
      readonly address: string;
    }
  /** A pool was found full: the configuration of the space tells its name. */
  | { readonly kind: "full"; readonly space: string; readonly poolId: string }
  /** Nothing is left to be asked. */
  | {
      readonly kind: "whole";
      readonly type: EventType;
      readonly space: string;
      /** Tells it from other events of the same change. */
      readonly subject: string;
      readonly detail: Detail;
    };
