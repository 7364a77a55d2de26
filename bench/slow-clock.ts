import type { Context } from "../src/kernel/core/context.ts";

/**
 * The factor by which the clock of the functions is slowed. One machine takes longer to serve hundreds of callers than
 * their functions may live.
 */
const CLOCK_SLOWED = 100;
const startedAtMs = Date.now();
const slowNow = () => startedAtMs + Math.floor((Date.now() - startedAtMs) / CLOCK_SLOWED);

export const slowed = (context: Context): Context => ({ ...context, now: slowNow });
