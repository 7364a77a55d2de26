import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ChangeFeed } from "../table/change-log.ts";
import type { Table } from "../table/table.ts";
import { type Publisher, readBy } from "./publishing.ts";

/** The files of a publishing thread, by their paths. */
export interface Files {
  readonly table: string;
  readonly history: string;
  /** The directory of the trail. */
  readonly trail: string;
}

/** A message to the thread: somebody reads what it publishes, or it has to end. */
export type ThreadRequest = "read" | "stop";

/** A message of the thread: the number of the last published change, or why it can publish no more. */
export type ThreadMessage = { readonly published: string } | { readonly lost: string };

/** In a package the thread is a file beside the command. */
const PACKED = new URL("./publishing-thread.js", import.meta.url);
const SOURCE = new URL("./publishing-thread.ts", import.meta.url);
const ASKED_EACH_MS = 1_000;

/**
 * Publishes the changes of a file in a thread of its own, so that requests need not wait for it.
 *
 * @param feed forgets in this thread what the other one has published
 * @param history the table of the history as this thread reads it
 */
export function publishBeside(files: Files, feed: ChangeFeed, history: Table): Publisher {
  const thread = import.meta.url.endsWith(".ts")
    ? new Worker(throughTsx(SOURCE), { eval: true, workerData: files })
    : new Worker(PACKED, { workerData: files });
  const ask = (asked: ThreadRequest) => thread.postMessage(asked);
  const ended = once(thread, "exit");
  let forgotten: Promise<unknown> = Promise.resolve();
  const lost = new Promise<string>((resolve) => {
    thread.on("message", (told: ThreadMessage) => {
      if ("lost" in told) resolve(told.lost);
      // If it fails, the table is lost too, and says so.
      else forgotten = feed.forget(told.published).catch(() => {});
    });
    thread.once("error", (error) => resolve(`publishing ended: ${error.message}`));
  });
  let askedAtMs = Number.NEGATIVE_INFINITY;
  const read = () => {
    if (performance.now() - askedAtMs < ASKED_EACH_MS) return;
    askedAtMs = performance.now();
    ask("read");
  };
  return {
    history: readBy(read, history),
    lost,
    async stop() {
      ask("stop");
      await ended.catch(() => {});
      await forgotten;
    },
  };
}

/** Returns the program of a thread that runs a source. A thread does not inherit how this one reads TypeScript. */
const throughTsx = (source: URL): string =>
  `import(${JSON.stringify(import.meta.resolve("tsx/esm/api"))}).then(({ register }) => {
    register();
    return import(${JSON.stringify(source.href)});
  });`;
