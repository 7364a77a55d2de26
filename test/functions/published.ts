import { publisher } from "../../src/publish/publisher.ts";
import { described } from "../publish/streamed.ts";
import { context, feed, HISTORY_KEPT_MS, history } from "./plat.ts";

const publish = publisher(
  {
    putEvents: async (events) => void events.map(described),
    putTrail: async () => {},
    putDeadLetter: async (_, error) => {
      throw error;
    },
    history,
    store: context.store,
  },
  { now: () => Date.now(), historyKeptMs: HISTORY_KEPT_MS },
);

/** Publishes the changes of the table that wait. */
export async function published(): Promise<void> {
  const changes = feed.first(Number.POSITIVE_INFINITY);
  await publish(changes);
  const last = changes.at(-1);
  if (last) await feed.forget(last.sequence);
}
