/**
 * The test files of a worker share their helpers' modules, whose code runs once. What a helper does for each file or
 * after each test is therefore registered here, and `setup.ts`, which runs for every file, carries it out.
 */

const starts: (() => void)[] = [];
const checks: (() => void | Promise<void>)[] = [];
const ends: (() => void)[] = [];

/** Carries out `start` now, and before each later file of this worker is loaded. */
export function atEachFile(start: () => void): void {
  starts.push(start);
  start();
}

/** Carries out `check` after each test of this file and of all later ones; what it throws fails the test. */
export function afterEachTest(check: () => void | Promise<void>): void {
  checks.push(check);
}

/** Carries out `end` after this file and all later ones. */
export function afterEachFile(end: () => void): void {
  ends.push(end);
}

export function startFile(): void {
  for (const start of starts) start();
}

export async function checkTest(): Promise<void> {
  for (const check of checks) await check();
}

export function endFile(): void {
  for (const end of ends) end();
}
