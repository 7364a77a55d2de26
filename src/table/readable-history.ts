import type { Table } from "./table.ts";

/** The history, as the functions of the API read it. */
export interface ReadableHistory {
  readonly table: Table;
  /** The time for which an entry is kept. */
  readonly keptMs: number;
  /** True if this deployment publishes in this Region. */
  readonly publishes: boolean;
}

const DAY_MS = 86_400_000;

/** Returns a time in whole days. */
export const daysOf = (ms: number): number => Math.floor(ms / DAY_MS);
