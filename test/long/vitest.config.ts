import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";
import { LONG_TESTS } from "../suites.ts";

const { include: _, exclude: __, ...test } = all.test ?? {};

/** `npm run test:long`: the tests of minutes. */
export default mergeConfig({ ...all, test }, defineConfig({ test: { include: LONG_TESTS } }));
