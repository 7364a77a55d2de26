import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from "@aws-sdk/client-eventbridge";
import { UnavailableError } from "../../base/outcome.ts";
import { type DomainEvent, eventBody, eventText } from "../domain-event.ts";

/** The source of all events on the bus. */
const EVENT_SOURCE = "plat";

/**
 * The entries of a request
 * (https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html).
 */
const ENTRIES_MAX = 10;
/** The bytes of a request, of which each entry counts its source, its type, its detail and its time. */
const REQUEST_BYTES_MAX = 262_144;
const TIME_BYTES = 14;
const TRIES_MAX = 5;
const FIRST_PAUSE_MS = 50;

/** A client of EventBridge, and the sleep between two tries. */
export interface EventBus {
  readonly client: Pick<EventBridgeClient, "send">;
  readonly name: string;
  sleep(ms: number): Promise<void>;
}

/**
 * Returns what puts events on the bus, in their order. Entries that the bus rejects are sent again. An event that is larger than a
 * request may be leaves out some fields, and names them, so that it does not hold up the others.
 *
 * @throws {UnavailableError} if the bus still rejects an entry; the earlier ones are on the bus
 */
export function eventBus(bus: EventBus): (events: readonly DomainEvent[]) => Promise<void> {
  return async (events) => {
    for (const request of requestsOf(events.map((event) => entryOf(event, bus.name))))
      await put(bus, request);
  };
}

async function put({ client, sleep }: EventBus, entries: readonly PutEventsRequestEntry[]) {
  let open = entries;
  for (let attempt = 1; ; attempt++) {
    const answer = await client.send(new PutEventsCommand({ Entries: [...open] }));
    const codes = (answer.Entries ?? []).map(({ ErrorCode }) => ErrorCode);
    open = open.filter((_, n) => codes[n] !== undefined);
    if (open.length === 0) return;
    const code = codes.find((one) => one !== undefined);
    if (attempt === TRIES_MAX)
      throw new UnavailableError(
        `the bus rejects ${open.length} of ${entries.length} events: ${code}`,
      );
    await sleep(FIRST_PAUSE_MS * 2 ** attempt);
  }
}

const entryOf = (event: DomainEvent, EventBusName: string): PutEventsRequestEntry =>
  fitting(
    {
      EventBusName,
      Source: EVENT_SOURCE,
      DetailType: event.type,
      Time: new Date(event.atMs),
      Detail: eventText(event),
    },
    event,
  );

/** Returns the entry of an event without its field `before`, and without its longest fields if the bus still has no room for it. */
function fitting(entry: PutEventsRequestEntry, event: DomainEvent): PutEventsRequestEntry {
  if (bytesOf(entry) <= REQUEST_BYTES_MAX) return entry;
  let shorter = entry;
  const leftOut: string[] = [];
  for (const name of byNeed(event.detail)) {
    if (bytesOf(shorter) <= REQUEST_BYTES_MAX) break;
    leftOut.push(name);
    const kept = Object.entries(event.detail).filter(([field]) => !leftOut.includes(field));
    const detail = { ...Object.fromEntries(kept), leftOut };
    shorter = { ...entry, Detail: JSON.stringify(eventBody({ ...event, detail })) };
  }
  return shorter;
}

/** Returns the names of fields, the one that a consumer needs least first: it knows what was before, and can read what is long. */
const byNeed = (detail: DomainEvent["detail"]): readonly string[] =>
  Object.entries(detail)
    .map(([name, value]) => ({
      name,
      weight: name === "before" ? Number.POSITIVE_INFINITY : JSON.stringify(value).length,
    }))
    .sort((a, b) => b.weight - a.weight)
    .map(({ name }) => name);

/** Returns the entries in requests that the bus takes. */
function requestsOf(entries: readonly PutEventsRequestEntry[]): PutEventsRequestEntry[][] {
  const requests: PutEventsRequestEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const last = requests.at(-1);
    const more = bytesOf(entry);
    if (last && last.length < ENTRIES_MAX && bytes + more <= REQUEST_BYTES_MAX) last.push(entry);
    else requests.push([entry]);
    bytes = requests.at(-1) === last ? bytes + more : more;
  }
  return requests;
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevent-size.html */
const bytesOf = ({ Source = "", DetailType = "", Detail = "" }: PutEventsRequestEntry): number =>
  TIME_BYTES + Buffer.byteLength(Source + DetailType + Detail);
