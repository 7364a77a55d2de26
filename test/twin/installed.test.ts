import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { lambdaNode } from "../../twin/node.ts";

/**
 * Checks the programs without which other tests are left out. npm skips an optional package that it
 * cannot get, without a message.
 */
it.runIf(process.platform === "linux" && process.arch === "x64")(
  "on Linux on x64 all tests run: the embedded DynamoDB and Node.js 24 are there",
  async () => {
    expect(
      emulatorBinary(),
      "The embedded DynamoDB is not installed, so that its tests and the twin's are left out; run `npm ci` without --omit=optional.",
    ).toBeDefined();
    const { stdout } = await promisify(execFile)(await lambdaNode(), ["--version"]);
    expect(stdout).toMatch(/^v24\./);
  },
);
