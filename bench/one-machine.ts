import type { Context } from "../src/kernel/core/context.ts";

/**
 * The number of parallel calls that one machine answers long before a time-out. Further calls wait here, in order, and
 * not on a socket.
 */
const CALLS_AT_ONCE = 64;
const waiting: (() => void)[] = [];
let underWay = 0;

/** Makes a call to the database when it is its turn. */
export async function inTurn<T>(call: () => Promise<T>): Promise<T> {
  if (underWay === CALLS_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else underWay++;
  try {
    return await call();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else underWay--;
  }
}

/**
 * The factor by which the clock of the functions is slowed. One machine takes longer to serve hundreds of callers than
 * their functions may live.
 */
const CLOCK_SLOWED = 100;
const startedAtMs = Date.now();
const slowNow = () => startedAtMs + Math.floor((Date.now() - startedAtMs) / CLOCK_SLOWED);

export const slowed = (context: Context): Context => ({ ...context, now: slowNow });
