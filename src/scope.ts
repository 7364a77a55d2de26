import { AsyncLocalStorage } from "node:async_hooks";
import type { Actor } from "./domain/actor.ts";

/** The conditional writes of one request, and what became of them. */
export interface WriteCounts {
  /** All conditional writes: the tries of every compare-and-swap. */
  writes: number;
  /** Writes whose condition failed, because somebody else was faster. */
  conflicts: number;
  /** Blocks that were created for a host, a set or a node. */
  claims: number;
  /** Empty blocks that another host got. */
  seizes: number;
  /** New entries of borrowed blocks. */
  borrows: number;
}

/** The last moment at which a request may call the table, and its clock. */
interface Deadline {
  readonly lastCallMs: number;
  readonly nowMs: () => number;
}

/** The surroundings of the work of one request or run. */
interface Scope {
  readonly actor?: Actor;
  readonly deadline?: Deadline;
  readonly counts?: WriteCounts;
}

/** One storage for all of it, because Node.js 20 hands each storage on at every promise. */
const scopes = new AsyncLocalStorage<Scope>();

/** Runs work with more surroundings than there are already. */
export const within = <T>(more: Scope, work: () => Promise<T>): Promise<T> =>
  scopes.run({ ...scopes.getStore(), ...more }, work);

/** Returns the surroundings of the current work: none outside of requests and runs, such as in commands. */
export const currentScope = (): Scope => scopes.getStore() ?? NOTHING;

const NOTHING: Scope = {};
