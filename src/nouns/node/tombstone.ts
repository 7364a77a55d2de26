import { assertTexts, assertTimes } from "../../base/assertions.ts";
import type { NodeIncarnation } from "./node-report.ts";

export const ENDED_BY = ["deleted", "replaced", "machine"] as const;
export const TOMBSTONE_STATES = ["quarantined", "freeing", "freed"] as const;

/**
 * The end of a node, of one uid. Until the quarantine is over a later word of the node revives it. Then the repair run
 * frees what the node had. Plat keeps the tombstone longer than a queue keeps a message, so that a late event finds it.
 */
export interface Tombstone extends NodeIncarnation {
  readonly space: string;
  readonly name: string;
  /** The cause of its end: a DELETED event; a later object of its name; or the end of its machine, after which it cannot come back. */
  readonly by: (typeof ENDED_BY)[number];
  readonly state: (typeof TOMBSTONE_STATES)[number];
  /** The time at which the node ended. What comes to the host later is not the node's. */
  readonly sinceMs: number;
  /** The time at which the repair run takes the next step. */
  readonly dueAtMs: number;
  readonly revision: string;
}

/** A tombstone by its place. */
export type TombstoneNamed = Pick<Tombstone, "space" | "name" | "uid">;

/** A tombstone that is due for repair, and since when. The index only suggests it. */
export interface DueTombstone {
  readonly tombstone: TombstoneNamed;
  readonly dueAtMs: number;
}

/** Checks that a tombstone has its revision, its times, and what tells it from other ends. @throws {Error} */
export function assertTombstone(tombstone: Tombstone): void {
  const { space, name, uid, resourceVersion, revision, createdAtMs, sinceMs, dueAtMs } = tombstone;
  assertTexts({ space, name, uid, resourceVersion, revision });
  assertTimes(createdAtMs, sinceMs, dueAtMs);
}
