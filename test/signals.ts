import { getEventListeners } from "node:events";

/** Returns how many listeners and signals a signal knows, which it keeps from the garbage collector. */
export function knownTo(signal: AbortSignal): number {
  const values = Reflect.ownKeys(signal).map((key) => Reflect.get(signal, key));
  const sets = values.filter(
    (value): value is { readonly size: number } =>
      Object.prototype.toString.call(value) === "[object Set]",
  );
  return sets.reduce((sum, { size }) => sum + size, getEventListeners(signal, "abort").length);
}
