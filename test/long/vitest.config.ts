import { availableParallelism } from "node:os";
import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";
import { propertyTests, suitesSince } from "../suites.ts";

const { include: _, ...test } = all.test ?? {};

const { faults, processes } = suitesSince(process.env.BASE);
const SAMPLED_CALLS = "true";
const LOG_LEVEL = "SILENT";

/**
 * `npm run test:long`: the tests of minutes, with a sample of the calls that they interrupt, and more cases of each
 * property. With `BASE=COMMIT` it leaves out suites that nothing since that commit can break.
 */
export default mergeConfig(
  { ...all, test },
  defineConfig({
    test: {
      // One more than there are cores, which works while another waits for a process.
      maxWorkers: availableParallelism() + 1,
      globalSetup: ["test/long/setup.ts"],
      reporters: ["./test/shares.ts"],
      projects: [
        project("faults", { include: faults, isolate: false, env: { SAMPLED_CALLS, LOG_LEVEL } }),
        project("processes", { include: processes, isolate: false, env: { SAMPLED_CALLS } }),
        project("properties", {
          include: [...propertyTests()],
          isolate: false,
          env: { RUNS: "200", SAMPLED_CALLS, LOG_LEVEL },
        }),
      ],
    },
  }),
);

function project(name: string, test: object) {
  return { extends: true as const, test: { name, ...test } };
}
