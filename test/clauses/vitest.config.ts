import { configDefaults, defineConfig, mergeConfig } from "vitest/config";
import usual from "../../vitest.config.ts";

const { exclude: _, ...test } = usual.test ?? {};

/** The suites of `npm run clauses`: the short tests and the long ones. */
export default mergeConfig(
  { ...usual, test },
  defineConfig({
    test: { exclude: configDefaults.exclude, setupFiles: ["test/clauses/setup.ts"] },
  }),
);
