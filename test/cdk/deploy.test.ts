import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

describe("npm run deploy", () => {
  it("deploys nothing to an unknown environment, and says which ones there are", () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "cdk/deploy.ts", "--env", "staging"],
      { encoding: "utf8" },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: "",
      stderr: "Say which environment to deploy: --env dev or --env prod.\n",
    });
  });
});
