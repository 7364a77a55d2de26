import type { Actor } from "./domain/actor.ts";
import { currentScope, within } from "./scope.ts";

/** Runs work on behalf of an actor. Every item that it writes names the actor. */
export const actingAs = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  within({ actor }, work);

/** Returns the actor of the current work; nothing outside of requests and runs, such as in commands. */
export const currentActor = (): Actor | undefined => currentScope().actor;
