import { defineConfig } from "vitest/config";
import { AWAITED_MS, HANGS_MS } from "../patience.ts";
import { report } from "../report.ts";

/** The tests that need a browser, and those of the console's parts: `npm run test:console`. */
export default defineConfig({
  test: {
    include: ["test/console/**/*.test.ts"],
    reporters: ["default", ...report()],
    globalSetup: ["test/temporary.ts", "test/console/setup.ts"],
    maxWorkers: "100%",
    // The files of a worker share what they import: the server, for most of them.
    isolate: false,
    env: { LOG_LEVEL: "SILENT" },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    expect: { poll: { timeout: AWAITED_MS } },
  },
});
