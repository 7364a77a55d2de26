import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";
import { LONG_TESTS } from "../suites.ts";

const { include: _, ...test } = all.test ?? {};

/** `npm run test:long`: the tests of minutes, with a sample of the calls that they interrupt. */
export default mergeConfig(
  { ...all, test },
  defineConfig({
    test: {
      include: LONG_TESTS,
      globalSetup: ["test/long/setup.ts"],
      env: { SAMPLED_CALLS: "true" },
    },
  }),
);
