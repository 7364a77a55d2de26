/*
 * Assertions about values of items, when one is decoded and before one is written. A condition on a text that is missing or
 * empty would compare nothing, so that a value without it is corrupt. Each message reads on from the name of the item.
 */

/** Checks that ids, tokens, revisions and epochs are there and not empty. @throws {Error} */
export function assertTexts(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts))
    if (typeof text !== "string" || text === "") throw new Error(`it has no ${name}`);
}

/** Checks that times are whole numbers of milliseconds; an absent time is none. @throws {Error} */
export function assertTimes(...timesMs: readonly (number | undefined)[]): void {
  if (!timesMs.every((timeMs) => timeMs === undefined || Number.isSafeInteger(timeMs)))
    throw new Error("a time of it is no whole number of milliseconds");
}

/** Checks that numbers are whole, and at least a minimum. @throws {Error} */
export function assertWhole(numbers: Readonly<Record<string, number>>, min = 0): void {
  for (const [name, number] of Object.entries(numbers))
    if (!Number.isSafeInteger(number) || number < min)
      throw new Error(`its ${name} is ${number}, and no whole number from ${min} on`);
}

/** Checks that a number is an address family. @throws {Error} */
export function assertFamily(family: number): void {
  if (family !== 4 && family !== 6) throw new Error(`it is of no family: ${family}`);
}
