import { DESTINATIONS, HISTORY_KEPT_MS, putAside } from "../src/publish/aws/destinations.ts";
import { fromStream } from "../src/publish/from-stream.ts";
import { publisher } from "../src/publish/publisher.ts";
import { context, historyTable } from "../src/wiring.ts";

// It writes into no item, so it is nobody there.
const { store, now } = context();

/** Publishes the changes of the table: as events, in the trail and in the history. */
export const handler = fromStream(
  publisher(
    { ...DESTINATIONS, store, history: historyTable() },
    { now, historyKeptMs: HISTORY_KEPT_MS },
  ),
  putAside,
);
