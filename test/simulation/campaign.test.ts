import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

it("names the seeds among which a life throws, and a line that finds it", async () => {
  // An operator whose change never becomes known ends with an error, which no simulated run
  // expects.
  const flags = ["--seed", "5", "--runs", "3", "--without", "raise-version"];
  const run = promisify(execFile)(process.execPath, ["--import", "tsx", MAIN, ...flags]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      "a process of the campaign ended with 1 in a life of the seeds 5 to 7; this finds it:\n" +
        "for SEED in $(seq 5 7); do npm run sim -- --seed $SEED --runs 1 --without raise-version || break; done",
    ),
  });
});
