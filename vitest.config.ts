import { configDefaults, defineConfig } from "vitest/config";
import { LongFirst } from "./test/long-first.ts";
import { HANGS_MS } from "./test/patience.ts";
import { report } from "./test/report.ts";

/** Every test but those with a configuration of their own, for `npx vitest run FILE`. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The templates need Python, the console a browser, the cluster an API server, and the rules for texts packages of
    // their own.
    exclude: [
      ...configDefaults.exclude,
      "test/templates/**",
      "test/console/**",
      "test/cluster/**",
      "test/prose/**",
      "test/pack/packed/**",
    ],
    setupFiles: ["test/setup.ts"],
    globalSetup: ["test/temporary.ts", "test/programs.ts"],
    reporters: ["default", "./test/proofs.ts", ...report()],
    // Vitest would leave a core to itself, and with two of them run one file after the other.
    maxWorkers: "100%",
    sequence: { sequencer: LongFirst },
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
      // `npm run synth` has the CDK validate the templates. That takes two seconds of each process, and more of each stack.
      CDK_VALIDATION: "false",
      // Where this folder is deployed to is nothing to the tests.
      PLAT_TWIN_ANYWHERE: "true",
    },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
  },
});
