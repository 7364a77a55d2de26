import { expect, it } from "vitest";
import { simulate } from "./run.ts";

const RUNS = 50;
const TEST_MS_MAX = 300_000;

it(
  `${RUNS} simulated runs with faults at every call: no address is given twice, none is lost, none leaks`,
  async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const { violations } = await simulate({ seed });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  },
  TEST_MS_MAX,
);
