/*
 * Assertions about values of items, when one is decoded and before one is written. A condition on a text that is missing or
 * empty would compare nothing, so that a value without it is corrupt. Each message reads on from the name of the item.
 */

/** Throws if an id, a token, a revision or an epoch is missing or empty. */
export function assertTexts(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts))
    if (typeof text !== "string" || text === "") throw new Error(`it has no ${name}`);
}

/** Throws if a time is no whole number of milliseconds. A time that is absent is none. */
export function assertTimes(...timesMs: readonly (number | undefined)[]): void {
  if (!timesMs.every((timeMs) => timeMs === undefined || Number.isSafeInteger(timeMs)))
    throw new Error("a time of it is no whole number of milliseconds");
}
