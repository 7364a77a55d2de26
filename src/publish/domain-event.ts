import type { Actor } from "../base/actor.ts";
import type { EventType } from "../base/event-type.ts";
import { formatTime } from "../base/time.ts";
import type { Json } from "./json.ts";

/** One event. Deliveries repeat it, with the same id and the same sequence number. */
export interface DomainEvent {
  readonly id: string;
  readonly type: EventType;
  readonly atMs: number;
  /** The number of the change in the stream of the table, as in `ItemChange`. It orders the events of one address. */
  readonly sequence: string;
  readonly space: string;
  /** Absent if the item names no author. */
  readonly actor?: Actor;
  /** The fields of the type, beside those above. */
  readonly detail: Readonly<Record<string, Json>>;
}

/** Returns the event as the bus and the history have it. */
export const eventBody = ({ id, type, atMs, sequence, space, actor, detail }: DomainEvent) => ({
  id,
  type,
  at: formatTime(atMs),
  sequence,
  space,
  ...actor,
  ...detail,
});

const texts = new WeakMap<DomainEvent, string>();

/** Returns the body of an event as JSON. Bus, history and log have the same text, so it is made once. */
export function eventText(event: DomainEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = JSON.stringify(eventBody(event));
  texts.set(event, text);
  return text;
}
