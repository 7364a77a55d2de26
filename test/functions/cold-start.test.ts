import { afterEach, expect, it, vi } from "vitest";

process.env.LOG_LEVEL = "SILENT";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("a function without its table fails as it is loaded, and says what is missing", async () => {
  vi.stubEnv("TABLE_NAME", undefined);
  await expect(import("../../functions/assign.ts")).rejects.toThrow("TABLE_NAME is not set");
});
