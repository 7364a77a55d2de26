import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";
import { LONG_TESTS } from "../suites.ts";

const { include, exclude: _, ...test } = all.test ?? {};

/** Folders whose tests leave nothing behind in the process: the files of a worker share what they import. */
const SHARING = ["allocator", "cdk", "contract", "domain", "edge"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** `npm test`: the tests of seconds. */
export default mergeConfig(
  { ...all, test },
  defineConfig({
    test: {
      exclude: [...configDefaults.exclude, "test/templates/**", "test/console/**", ...LONG_TESTS],
      projects: [
        { extends: true, test: { name: "shared", include: SHARING, isolate: false } },
        { extends: true, test: { name: "isolated", include: include ?? [], exclude: SHARING } },
      ],
    },
  }),
);
