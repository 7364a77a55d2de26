import "./silent.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { runLongRace } from "../../bench/load/long-race.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { oneIn } from "../simulation/sampled-calls.ts";
import { expectResumedRace, RACE_SEED } from "./resumed-race.ts";

const LONG_RACE = new URL("../../bench/load/long-race.ts", import.meta.url);
const OPERATIONS = 4_000 / oneIn(8);
const KILLS = 4;

it.runIf(emulatorBinary())(
  "a race with kills goes on where it was left, and nothing that anybody holds is lost or given twice",
  () => expectResumedRace(OPERATIONS, KILLS),
);

it.runIf(emulatorBinary())(
  "a race whose own process is killed goes on from its last check, with what the callers held then",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "plat-"));
    // With this seed a worker is killed between the first check and the second.
    const [operations, callers, kills] = [400, 8, 1];
    const options = { directory, operations, callers, kills, seed: RACE_SEED };
    // It kills itself, because a signal of another process comes at any time.
    const race = `
      import { runLongRace } from "${LONG_RACE}";
      await runLongRace({
        ...${JSON.stringify(options)},
        isSuspended: () => false,
        say: (line) => {
          console.log(line);
          if (line.startsWith("kill -9")) process.kill(process.pid, "SIGKILL");
        },
      });
    `;
    const child = spawn(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "--eval", race],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const exited = once(child, "exit");
    const heard: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) heard.push(line);
    expect(await exited).toEqual([null, "SIGKILL"]);
    expect(heard.filter((line) => line.startsWith("Check"))).toHaveLength(1);

    const said: string[] = [];
    const { finished, failures, progress } = await runLongRace({
      ...options,
      isSuspended: () => false,
      say: (sentence) => said.push(sentence),
    });
    expect(failures, failures.join("\n")).toEqual([]);
    expect(finished).toBe(true);
    expect(progress).toMatchObject({ runs: 2, operations, kills, violations: 0 });
    const checks = said.filter((sentence) => sentence.startsWith("Check"));
    expect(checks.map((sentence) => sentence.slice(0, 8))).toEqual([
      "Check 2:",
      "Check 3:",
      "Check 4:",
    ]);
    await rm(directory, { recursive: true });
  },
);
