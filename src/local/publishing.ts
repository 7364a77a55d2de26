import { appendFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Store } from "../allocator/core/store.ts";
import { type Published, publisher } from "../publish/publisher.ts";
import type { TrailLine } from "../publish/trail-line.ts";
import { trailObjectsOf } from "../publish/trail-object.ts";
import type { ChangeFeed } from "../store/change-feed.ts";
import { HISTORY } from "../store/definition.ts";
import type { ItemChange } from "../store/item-change.ts";
import { kindOf } from "../store/kinds.ts";
import type { Table } from "../store/table.ts";

export interface PublishingOptions {
  readonly feed: ChangeFeed;
  readonly history: Table;
  readonly store: Store;
  /** The directory of the trail; without it, no line is kept. */
  readonly trail?: string | undefined;
  readonly now: () => number;
}

/** Changes that are published at once. */
const BATCH_CHANGES = 500;
const DAY_MS = 86_400_000;
/** As in prod. */
export const HISTORY_KEPT_MS = 90 * DAY_MS;

/** Publishes the changes of a local table: into its history, and into the files of the trail. Events go to nobody. */
export class Publishing {
  readonly #feed: ChangeFeed;
  readonly #publish: (changes: readonly ItemChange[]) => Promise<Published>;

  constructor({ feed, history, store, trail, now }: PublishingOptions) {
    this.#feed = feed;
    this.#publish = publisher(
      {
        putEvents: async () => {},
        putTrail: trail === undefined ? async () => {} : (lines) => appendTo(trail, lines),
        putDeadLetter: async ({ key }, error) =>
          console.error(
            `A change of ${kindOf(key)?.called(key) ?? `${key.pk} ${key.sk}`} cannot be published: ${error}`,
          ),
        history,
        store,
      },
      { now, historyKeptMs: HISTORY_KEPT_MS },
    );
  }

  /** Publishes what waits. What cannot be published yet waits for the next run. */
  async run(): Promise<void> {
    for (;;) {
      const changes = this.#feed.first(BATCH_CHANGES);
      if (changes.length === 0) return;
      const { failed } = await this.#publish(changes);
      const done = changes.filter(({ sequence }) => failed === undefined || sequence < failed);
      const last = done.at(-1);
      if (last) await this.#feed.forget(last.sequence);
      if (failed !== undefined) return;
    }
  }
}

/** Adds lines to the file of their hour. They are on the disk afterwards. */
async function appendTo(trail: string, lines: readonly TrailLine[]): Promise<void> {
  for (const { hour, text } of trailObjectsOf(lines)) {
    const file = join(trail, "changes", `${hour}.jsonl`);
    await mkdir(dirname(file), { recursive: true });
    await appendFile(file, text, { flush: true });
  }
}

/** Items of one page of the walk over a history. */
const PAGE_ITEMS = 500;

/** Deletes the expired items of a history, as DynamoDB does by itself. */
export async function deleteExpired(history: Table, nowMs: number): Promise<void> {
  let page = await history.scan(PAGE_ITEMS);
  for (;;) {
    for (const { pk, sk, [HISTORY.timeToLive]: expires } of page.items)
      if (typeof expires === "number" && expires * 1_000 < nowMs)
        await history.write({
          step: "history",
          key: { pk, sk },
          when: [],
          change: { kind: "delete" },
        });
    if (!page.next) return;
    page = await history.scan(PAGE_ITEMS, { after: page.next });
  }
}
