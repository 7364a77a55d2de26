import { vi } from "vitest";
import { HANGS_MS } from "./patience.ts";

/** Waits until a check does not throw. Vitest's own wait ends after a second, in which a busy machine may do nothing. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, HANGS_MS);
