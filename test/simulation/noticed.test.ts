import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HANGS_MS } from "../patience.ts";
import { NOTICED } from "./noticed.ts";
import { simulate } from "./run.ts";
import { shrink } from "./shrink.ts";

const RUNS_UNTIL_NOTICED_MAX = 6_000;

describe("the simulation notices when the protocol lacks", () => {
  it.each(NOTICED)("%s (seed %i): %s", async (without, seed) => {
    const broken = (await isBroken(seed, without)) ? seed : await firstBroken(without);
    expect(broken, `noticed.ts: seed ${seed} holds by now, seed ${broken} breaks`).toBe(seed);
  });

  it("and says which processes it takes", async () => {
    const without = "block-absent";
    const seed = (await firstBroken(without)) as number;
    const { processes } = await simulate({ seed, without });
    const least = await shrink({ seed, without });
    expect(least.processes.length).toBeLessThan(processes.length);
    const only = new Set(least.processes);
    const again = await simulate({ seed, without, schedule: least.schedule, only });
    expect(again.violations).not.toEqual([]);
  });
});

it("notices at the seeds that docs/verification.md names, and at none before them", {
  timeout: HANGS_MS,
}, async () => {
  const page = readFileSync(new URL("../../docs/verification.md", import.meta.url), "utf8");
  const named = /seed (\d+) breaks; without `unknown-fence`, seed (\d+) as well/.exec(page) ?? [];
  const first = [await firstBroken("take-epoch"), await firstBroken("unknown-fence")];
  expect(named.slice(1).map(Number)).toEqual(first);
});

/** Returns true if a run breaks, or ends with an error that no walk may end with. */
async function isBroken(seed: number, without: string): Promise<boolean> {
  return simulate({ seed, without }).then(
    ({ violations }) => violations.length > 0,
    () => true,
  );
}

async function firstBroken(without: string): Promise<number | undefined> {
  for (let seed = 1; seed <= RUNS_UNTIL_NOTICED_MAX; seed++)
    if (await isBroken(seed, without)) return seed;
  return undefined;
}
