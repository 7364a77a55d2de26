import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";
import { ISOLATED_TESTS, LONG_TESTS } from "../suites.ts";

const { include = [], exclude = [], ...test } = all.test ?? {};

/** The files of a worker share what they import; `setup.ts` lets each begin anew. */
const shared = {
  include,
  exclude: [...exclude, ...LONG_TESTS, ...ISOLATED_TESTS],
  isolate: false,
  env: { LOG_LEVEL: "SILENT", SAMPLED_CALLS: "true" },
};

/** `npm test`: the tests of seconds. */
export default mergeConfig(
  { ...all, test },
  defineConfig({
    test: {
      reporters: [["./test/shares.ts", { budgeted: true }]],
      projects: [
        { extends: true, test: { name: "shared", ...shared } },
        { extends: true, test: { name: "isolated", include: ISOLATED_TESTS } },
      ],
    },
  }),
);
