import { AsyncLocalStorage } from "node:async_hooks";
import type { Actor } from "./domain/actor.ts";

const actors = new AsyncLocalStorage<Actor>();

/** Runs work on behalf of an actor. Every item that it writes names the actor. */
export const actingAs = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  actors.run(actor, work);

/** Returns the actor of the current work; nothing outside of requests and runs, such as in commands. */
export const currentActor = (): Actor | undefined => actors.getStore();
