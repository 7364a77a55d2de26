import type { Answer, PlatClient } from "../../client/index.ts";
import { EVENTS_PER_PAGE_MAX } from "../../domain/limits.ts";

type HistoryPage = Answer<"readAddressHistory"> | Answer<"readHandleHistory">;

/** An event of a history. */
export type HistoryEvent = HistoryPage["events"][number];

/** All that is kept of a history, the newest first. */
export interface History {
  readonly keptDays: number;
  readonly events: readonly HistoryEvent[];
}

const limit = EVENTS_PER_PAGE_MAX;

/** Reads the history of an address. */
export const readAddressHistory = (client: PlatClient, ip: string): Promise<History> =>
  joined(client.pages.readAddressHistory({ ip, limit }));

/** Reads the history of a handle. */
export const readHandleHistory = (client: PlatClient, handle: string): Promise<History> =>
  joined(client.pages.readHandleHistory({ handle, limit }));

async function joined(pages: AsyncGenerator<HistoryPage, void, undefined>): Promise<History> {
  const events: HistoryEvent[] = [];
  let keptDays = 0;
  for await (const page of pages) {
    events.push(...page.events);
    keptDays = page.keptDays;
  }
  return { keptDays, events };
}
