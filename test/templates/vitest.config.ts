import { defineConfig } from "vitest/config";

/** The tests that need Python besides Node.js: `npm run test:templates`. */
export default defineConfig({
  test: {
    include: ["test/templates/*.test.ts"],
    globalSetup: ["test/templates/setup.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
