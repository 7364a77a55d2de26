import { describe, expect, it } from "vitest";
import { simulate } from "../simulation/run.ts";
import { EXCUSED } from "./excused.ts";
import { observe } from "./observed.ts";
import { lackingPart } from "./parts.ts";

const HEALING = Object.entries(EXCUSED).flatMap(([name, { heals }]) =>
  heals ? [{ name, seeds: heals }] : [],
);

describe("the scheduled runs put right what comes of leaving out", () => {
  it.each(HEALING)("$name", async ({ name, seeds }) => {
    let decided = 0;
    const end = observe((_, decision) => {
      if (decision?.name === name) decided++;
    });
    for (const seed of seeds) {
      const { violations } = await lackingPart(name, () => simulate({ seed, without: name }));
      expect(violations, `seed ${seed}`).toEqual([]);
    }
    end();
    expect(decided).toBeGreaterThanOrEqual(seeds.length);
  });
});
