import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";

/**
 * `npm run test:whole`: every test of `npm test` and `npm run test:long` without a sample, with 500 cases of each
 * property, and the tests of the command over the embedded DynamoDB.
 */
export default mergeConfig(
  all,
  defineConfig({
    test: {
      globalSetup: ["test/long/setup.ts"],
      reporters: ["./test/shares.ts"],
      env: { RUNS: "500", TERMINAL_TABLE: "dynamodb" },
    },
  }),
);
