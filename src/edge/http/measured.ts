import { noWrites, type WriteCounts } from "../../domain/write-counts.ts";
import { publish } from "../metrics/publish.ts";
import type { Event } from "./event.ts";
import { type Handler, servedKey } from "./http.ts";

/**
 * Returns a handler that publishes the latency and the conditional writes of each request, by its operation and the
 * class of its status, such as `2xx`. The operation is the key of its route without a space, such as `POST /v1/assign`.
 * A count of zero is left out, because its metric would cost as much as any other.
 */
export function measured(
  serve: (event: Event, counts: WriteCounts) => ReturnType<Handler>,
): Handler {
  return async (event) => {
    const startedAtMs = performance.now();
    const counts = noWrites();
    const answer = await serve(event, counts);
    const { statusCode = 200, body = "" } = answer;
    publish(
      {
        operation: servedKey(event.routeKey),
        status: `${Math.floor(statusCode / 100)}xx`,
      },
      {
        Latency: Math.round(performance.now() - startedAtMs),
        Writes: counts.writes || undefined,
        Conflicts: counts.conflicts || undefined,
        Claims: counts.claims || undefined,
        Seizes: counts.seizes || undefined,
        Borrows: counts.borrows || undefined,
      },
    );
    // Without the operation, so that one alarm covers all of them.
    if (statusCode === 409 && body.includes('"code":"unreadable"'))
      publish({}, { UnreadableItems: 1 });
    if (statusCode === 503 && body.includes('"code":"table_frozen"'))
      publish({}, { TableFrozen: 1 });
    return answer;
  };
}
