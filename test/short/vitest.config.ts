import { availableParallelism } from "node:os";
import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";
import { LONG_TESTS } from "../suites.ts";

const { exclude = [], ...test } = all.test ?? {};

/** `npm test`: the tests of seconds. The files of a worker share what they import; `setup.ts` lets each begin anew. */
export default mergeConfig(
  { ...all, test },
  defineConfig({
    test: {
      exclude: [...exclude, ...LONG_TESTS],
      isolate: false,
      env: { LOG_LEVEL: "SILENT", SAMPLED_CALLS: "true" },
      // One more than there are cores, which works while another waits for modules or for a process.
      maxWorkers: availableParallelism() + 1,
      reporters: [["./test/shares.ts", { budgeted: true }]],
    },
  }),
);
