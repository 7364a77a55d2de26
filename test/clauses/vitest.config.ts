import { defineConfig, mergeConfig } from "vitest/config";
import all from "../../vitest.config.ts";

/** The suites of `npm run clauses`: the short tests and the long ones. */
export default mergeConfig(all, defineConfig({ test: { setupFiles: ["test/clauses/setup.ts"] } }));
