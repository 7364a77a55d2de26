import { describe, expect, it } from "vitest";
import { handleHash } from "../../src/base/hash.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { ciliumHandle } from "../../src/kernel/values/handle.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import { blockWith, cooling, held, taken } from "../builders.ts";
import { Cooldowns } from "./cooldowns.ts";

const COOLDOWN_MS = 5_000;

/** Shows the judge one address from step to step, at these times in ms; `undefined` if its block is gone. */
function verdictOn(...steps: readonly (readonly [nowMs: number, slot: Slot | undefined])[]) {
  const judge = new Cooldowns(COOLDOWN_MS);
  for (const [nowMs, slot] of steps) {
    const blocks = slot ? [blockWith({ 0: slot })] : [];
    judge.step({ blocks } as unknown as Contents, { nowMs, skewMs: 0 });
  }
  return judge.violations.map(({ invariant }) => invariant);
}

describe("the judge of cooldowns", () => {
  it("notices an address that is assigned too soon, also if its block went and came again", () => {
    expect(verdictOn([0, cooling(0)], [4_999, taken(2)])).toEqual(["I9"]);
    expect(verdictOn([0, cooling(0)], [1, undefined], [4_999, taken(2)])).toEqual(["I9"]);
  });

  it("notices an address that an application holds too soon", () => {
    expect(verdictOn([0, cooling(0)], [4_999, held(2)])).toEqual(["I9"]);
    expect(verdictOn([0, cooling(0)], [5_000, held(2)])).toEqual([]);
  });

  it("lets a CiliumNode have an address that it uses, and no other one, while it cools", () => {
    const verdictWith = (used: object, owner = "uid-1") => {
      const judge = new Cooldowns(COOLDOWN_MS);
      const report = {
        name: "node-1",
        uid: "uid-1",
        object: { ipam: {}, status: { ipam: { used } } },
      };
      const own = { ...taken(2), handleHash: handleHash(ciliumHandle("node-1", owner)) };
      for (const [nowMs, slot, ciliumReports] of [
        [0, cooling(0), [report]],
        // Another request has deleted the report meanwhile.
        [1, own, []],
      ] as const) {
        const contents = { blocks: [blockWith({ 0: slot })], ciliumReports };
        judge.step(contents as unknown as Contents, { nowMs, skewMs: 0 });
      }
      return judge.violations.map(({ invariant }) => invariant);
    };
    expect(verdictWith({ "10.0.0.0": {} })).toEqual([]);
    expect(verdictWith({ "10.0.0.1": {} })).toEqual(["I9"]);
    expect(verdictWith({ "10.0.0.0": {} }, "uid-2")).toEqual(["I9"]);
  });
});
