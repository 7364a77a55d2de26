import { availableParallelism } from "node:os";
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
      // One more than there are cores, which works while another waits for modules or for a process.
      maxWorkers: availableParallelism() + 1,
      reporters: [["./test/shares.ts", { budgeted: true }]],
      projects: [
        { extends: true, test: { name: "shared", ...shared } },
        { extends: true, test: { name: "isolated", include: ISOLATED_TESTS } },
      ],
    },
  }),
);
