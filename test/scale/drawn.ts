import type { Random } from "../../src/kernel/values/fresh.ts";
import { seededRandom } from "../simulation/random.ts";

/** The time at which everything in a scene was made: a day before the clock starts. */
export const EARLIER_MS = 1_700_000_000_000 - 24 * 60 * 60 * 1_000;

const fresh = () => ({ ids: 0, handles: 0, random: seededRandom(1) });
let drawn = fresh();

/** Resets the random source, so that a scene does not depend on the one before. */
export function drawAnew(): void {
  drawn = fresh();
}

/**
 * Returns an id, token, epoch or revision that is unique in the scene, and as short as the
 * product's.
 */
export function someId(): string {
  const bytes = Buffer.alloc(11);
  bytes.writeUIntBE(EARLIER_MS, 0, 6);
  bytes.writeUIntBE(drawn.ids++, 6, 5);
  return bytes.toString("base64url");
}

/** Returns a handle that is unique in the scene. */
export const someHandle = (): string => `workload-${drawn.handles++}`;

/** Returns the random source of the authors of a scene's allocations. */
export const sceneRandom = (): Random => drawn.random;
