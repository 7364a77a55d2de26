import { describe, expect, it } from "vitest";
import type { Block } from "../../../src/kernel/values/block.ts";
import type { Slot } from "../../../src/kernel/values/slot.ts";
import { hostEvents, slotEvents } from "../../../src/kernel/values/slot-events.ts";
import { cidrOf } from "../../world.ts";

const TAKEN: Slot = { kind: "taken", token: "t1", handleHash: "h1" };
const OTHER: Slot = { kind: "taken", token: "t2", handleHash: "h2" };
const COOLING: Slot = { kind: "cooling", token: "t1", sinceMs: 1 };
const QUARANTINED: Slot = { ...COOLING, kind: "quarantined", handleHash: "h1", seconds: 60 };
const HELD: Slot = { kind: "held", token: "t1", applicationHash: "a" };

const blockWith = (slot: Slot | undefined, host?: Block["host"]): Block => ({
  space: "default",
  cidr: cidrOf("10.0.0.0/30"),
  pool: "main",
  poolId: "p",
  ...(host && { host }),
  claimedAtMs: 1,
  slots: new Map(slot ? [[2, slot]] : []),
  epoch: "e",
  revision: "r",
});

describe("the events of a slot", () => {
  it.each([
    ["unused", undefined],
    ["cooling", COOLING],
    ["quarantined", QUARANTINED],
    ["held", HELD],
  ])("begin with an assignment when it was %s", (_, slot) => {
    expect(slotEvents(blockWith(slot), blockWith(OTHER))).toEqual([
      { ordinal: 2, kind: "assigned", token: "t2", handleHash: "h2" },
    ]);
  });

  it.each([
    ["released", COOLING],
    ["conflict", QUARANTINED],
    ["held", HELD],
    ["withdrawn", undefined],
  ])("end with a release for the reason %s", (reason, slot) => {
    expect(slotEvents(blockWith(TAKEN), blockWith(slot))).toEqual([
      { ordinal: 2, kind: "released", token: "t1", handleHash: "h1", reason },
    ]);
  });

  it("are a release and an assignment if another part has it after one write", () => {
    expect(slotEvents(blockWith(TAKEN), blockWith(OTHER)).map(({ kind }) => kind)).toEqual([
      "released",
      "assigned",
    ]);
  });

  it("are none if the same part has it before and after, and none of what only cooled", () => {
    expect(slotEvents(blockWith(TAKEN), blockWith(TAKEN))).toEqual([]);
    expect(slotEvents(blockWith(COOLING), blockWith(undefined))).toEqual([]);
  });

  it("are those of each slot of a new block", () => {
    expect(slotEvents(undefined, blockWith(TAKEN))).toHaveLength(1);
  });
});

describe("the events of an affinity", () => {
  const [one, two] = [blockWith(undefined, "host:n1"), blockWith(undefined, "host:n2")];

  it("are a claim for a new block with a host, and none for one without", () => {
    expect(hostEvents(undefined, one)).toEqual([{ kind: "claimed", host: "host:n1" }]);
    expect(hostEvents(undefined, blockWith(undefined))).toEqual([]);
  });

  it("are a release and a claim if it moves", () => {
    expect(hostEvents(one, two)).toEqual([
      { kind: "released", host: "host:n1" },
      { kind: "claimed", host: "host:n2" },
    ]);
  });

  it("are a release if the block goes", () => {
    expect(hostEvents(one, undefined)).toEqual([{ kind: "released", host: "host:n1" }]);
  });
});
