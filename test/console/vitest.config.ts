import { defineConfig } from "vitest/config";
import { HANGS_MS } from "../patience.ts";
import { report } from "../report.ts";

/** A value of a page is awaited as long as Playwright awaits an element. */
const AWAITED_MS = 30_000;

/** The tests that need a browser, and those of the console's parts: `npm run test:console`. */
export default defineConfig({
  test: {
    include: ["test/console/**/*.test.ts"],
    reporters: ["default", ...report()],
    globalSetup: ["test/console/setup.ts"],
    maxWorkers: "100%",
    env: { LOG_LEVEL: "SILENT" },
    testTimeout: HANGS_MS,
    hookTimeout: HANGS_MS,
    expect: { poll: { timeout: AWAITED_MS } },
  },
});
