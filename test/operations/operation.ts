import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { assigned, type Clock, requestOf, type World } from "../world.ts";

/** The assignments that an operation finds, by short names. */
export type Told = Readonly<Record<string, Assignment>>;

/**
 * An operation: its world before, the operation, what must stay, and its repeat. Crash points,
 * interleavings, overtaking, stalls and the table of clauses go through all of them.
 */
export interface Operation {
  readonly name: string;
  /** A call that the operation must make, so that it is the one in its name. */
  readonly step: string;
  /** Makes the world before the operation. By default the handle `old` has an address. */
  prepare?(world: World): Promise<Told>;
  walk(context: Context, told: Told): Promise<unknown>;
  /** The prepared assignments that must keep their addresses; by default `old`. */
  readonly kept?: readonly string[];
  readonly again: Again;
  /** The operations that it can meet on one resource, besides itself. */
  readonly meets?: readonly Meeting[];
  /** Its writes that come a quarter of an hour late. */
  readonly late?: readonly LateWrite[];
}

/**
 * The repeat of an operation: the same request, which for a request under a key has the same
 * answer; or another act that must succeed after it; or the reason why nothing repeats it.
 */
type Again = "the same" | "the same answer" | Act | { readonly not: string };

type Act = (context: Context, told: Told, clock: Clock) => Promise<unknown>;

export const UNKEYED = { not: "Without a key, a repeat is another request." };
export const BY_A_RUN = { not: "The next scheduled run does what is left." };

/** The operation that comes while another one stands still. */
export interface Meeting {
  readonly with: string;
  walk(context: Context, told: Told, world: World): Promise<unknown>;
  /** Makes the world before both, if it is not that of the operation. */
  prepare?(world: World): Promise<Told>;
  /** The pause of the operation before the other one comes; by default none. */
  readonly waitMs?: number;
  /** True if one of them may release what the other was assigned. */
  readonly givesBack?: boolean;
  /**
   * The uid of an instance that has the addresses after both, or one of the uids that may. It is
   * empty if the addresses are released.
   */
  readonly ends?: readonly string[];
}

/** A write before which its author pauses for a quarter of an hour, while scheduled runs pass. */
interface LateWrite {
  readonly step: string;
  /** The clause that rejects the write; nothing if the write does no harm. */
  readonly rejectedBy?: string;
  readonly why: string;
}

/** Longer than any author may live. */
export const AUTHOR_MS = 20_000;
/** Longer than the repair run waits for an author. */
export const GRACE_MS = 100_000;
export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;

/** Assigns an address that an operation must not touch. */
export const withOld = async ({ calm }: World): Promise<Told> => ({
  old: await assigned(calm, requestOf("old", 1)),
});

/** Leaves the world as it is made: a space with one pool. */
export const nothing = async (): Promise<Told> => ({});
