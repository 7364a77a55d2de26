import { defineConfig } from "vitest/config";

/** The tests of texts, and of the rules for them: `npm run prose`. */
export default defineConfig({ test: { include: ["test/prose/*.test.ts"] } });
