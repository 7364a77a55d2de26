import type { EventType } from "../base/event-type.ts";
import type { Store } from "../kernel/core/store.ts";
import type { ItemChange } from "../table/change-log.ts";
import { actorIn } from "../table/signed-table.ts";
import { changeId } from "./change-id.ts";
import type { DomainEvent } from "./domain-event.ts";
import type { Detail } from "./draft.ts";
import type { History, Holder } from "./history.ts";

/** The sources of the owners of addresses. */
export interface Sources {
  readonly history: History;
  /** The main table. */
  readonly store: Pick<Store, "allocationsFrom" | "readSpace">;
}

/** The events of one draft of a change. */
export interface ToldChange {
  readonly change: ItemChange;
  readonly events: readonly DomainEvent[];
  /** The token of the slot that it tells as assigned, with its owner. */
  readonly assigned?: string;
  /** True if the owner of an assigned address was not found. An address that was assigned before the publisher began may be released without. */
  readonly lacksOwner?: true;
  /** The subjects of the history whose entries the events become; absent if the draft is about no address. */
  readonly kept?: {
    readonly space: string;
    readonly address: string;
    readonly handleHash: string;
    /** The owner afterwards: null if nobody has the address, and absent if that did not change. */
    readonly holder?: Holder | null;
  };
}

/** The fields of an event that its change does not tell. */
export interface EventParts {
  readonly type: EventType;
  readonly space: string;
  /** Tells the event from others of the same change and type. */
  readonly subject: string;
  readonly detail: Detail;
}

export const toldAs = (change: ItemChange, parts: EventParts): ToldChange => ({
  change,
  events: [domainEventOf(change, parts)],
});

/** Returns the event of a change. The same change gives the same id. */
export function domainEventOf(
  change: ItemChange,
  { type, space, subject, detail }: EventParts,
): DomainEvent {
  const actor = actorIn(change.after ?? change.before);
  return {
    id: changeId(change, type, subject),
    type,
    atMs: change.atMs,
    sequence: change.sequence,
    space,
    ...(actor && { actor }),
    detail,
  };
}
