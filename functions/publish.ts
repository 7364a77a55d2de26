import { destinationsOfEnvironment } from "../src/publish/aws/destinations.ts";
import { fromStream } from "../src/publish/from-stream.ts";
import { publisher } from "../src/publish/publisher.ts";
import { deployed, historyOf, type Wiring } from "../src/wiring.ts";

/** Publishes the changes of the table: as events, in the trail and in the history. */
export const publishOver = (wiring: Wiring) => {
  // It writes into no item, so it is nobody there.
  const { store, now } = wiring.context();
  const { table: history, keptMs: historyKeptMs } = historyOf(wiring);
  const destinations = destinationsOfEnvironment();
  return fromStream(
    publisher({ ...destinations, store, history }, { now, historyKeptMs }),
    destinations.putDeadLetter,
  );
};

export const handler = deployed(publishOver);
