import { AsyncLocalStorage } from "node:async_hooks";
import type { Actor } from "../src/base/actor.ts";
import { eachCall } from "../src/store/stack.ts";
import { signedTable } from "../src/table/signed-table.ts";
import type { Table } from "../src/table/table.ts";

const actors = new AsyncLocalStorage<Actor>();

/** Runs an act on behalf of an actor, who signs the writes of a table of `signedByActor`. */
export const actingAs = <T>(actor: Actor, act: () => Promise<T>): Promise<T> =>
  actors.run(actor, act);

/** Returns a table whose writes name the actor of the current act. */
export const signedByActor = (table: Table): Table => ({
  ...eachCall(table, (call) => call()),
  write: (write) => signedTable(table, actors.getStore()).write(write),
});
