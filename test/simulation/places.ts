import { CALL_TRIES_MAX } from "../../src/store/stack.ts";
import { contextOver, deployedOver } from "../world.ts";
import { oneIn } from "./sampled-calls.ts";

/** A place where something comes between a function and its table. */
export interface Place {
  readonly under: string;
  readonly over: typeof contextOver;
  /** The reads, one after another, that the database must not answer so that one fails. */
  readonly readsMax: number;
}

/** The places: right below the operations, and below all layers that a deployed function has over its table. */
export const PLACES: readonly Place[] = [
  { under: "the store", over: contextOver, readsMax: 1 },
  { under: "all layers", over: deployedOver, readsMax: CALL_TRIES_MAX },
];

/** Returns the places that a test tries: in a sample one of them, by turns, and otherwise all. */
export const placesFor = (test: number): readonly Place[] =>
  PLACES.filter((_, number) => (test + number) % oneIn(PLACES.length) === 0);
