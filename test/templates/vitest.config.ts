import { defineConfig } from "vitest/config";
import { HANGS_MS } from "../patience.ts";

/** The tests that need Python besides Node.js: `npm run test:templates`. */
export default defineConfig({
  test: {
    include: ["test/templates/*.test.ts"],
    globalSetup: ["test/temporary.ts", "test/templates/setup.ts"],
    // Here cfn-lint validates the templates.
    env: { CDK_VALIDATION: "false" },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
  },
});
