import { defineConfig } from "vitest/config";
import { HANGS_MS } from "../patience.ts";

/** The tests of texts, and of the rules for them: `npm run prose`. */
export default defineConfig({
  test: { include: ["test/prose/*.test.ts"], testTimeout: HANGS_MS, hookTimeout: HANGS_MS },
});
