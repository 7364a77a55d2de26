import { parentPort, workerData } from "node:worker_threads";
import * as lmdb from "lmdb";
import { flushedTable, LmdbTable } from "../store/lmdb-table.ts";
import { makeStore } from "../store/stack.ts";
import { openEnvironment, readEnvironment } from "../table/lmdb-environment.ts";
import { publishAtPace } from "./publishing.ts";
import type { Files, ThreadMessage, ThreadRequest } from "./publishing-beside.ts";

/**
 * The thread that publishes the changes of a file. It reads them from the file, as the thread that serves requests has
 * committed them. It alone writes the history and the trail. The other thread removes what is published, so that the
 * file of the table has one writer.
 */
/** A batch waits for the disk three times, whatever its size. No request waits for the thread. */
const BATCH_CHANGES = 2_000;

const { table: tableFile, history: historyFile, trail } = workerData as Files;
const tell = (told: ThreadMessage) => parentPort?.postMessage(told);

const table = new LmdbTable(
  readEnvironment(lmdb, tableFile, async (upTo) => tell({ published: upTo })),
);
const history = new LmdbTable(await openEnvironment(lmdb, historyFile));
void history.lost.then((reason) => tell({ lost: reason }));
const pace = publishAtPace({
  feed: table.feed,
  // Requests of the other thread read it from the disk.
  history: flushedTable(history),
  store: makeStore(table),
  trail,
  now: Date.now,
  batchChanges: BATCH_CHANGES,
});

parentPort?.on("message", async (asked: ThreadRequest) => {
  if (asked === "read") return pace.read();
  await pace.stop();
  await table.close();
  await history.close();
  // Nothing is left that would keep the thread.
  parentPort?.close();
});
