import { describe, expect, it } from "vitest";
import { type NodeInZone, zonesOf } from "../../../src/nouns/node/zone.ts";

/** Returns nodes of a zone: some ready, some not. */
const zone = (name: string, ready: number, notReady: number): readonly NodeInZone[] => [
  ...Array.from({ length: ready }, () => ({ zone: name, ready: "True", isExcluded: false })),
  ...Array.from({ length: notReady }, () => ({ zone: name, ready: "Unknown", isExcluded: false })),
];

describe("a zone", () => {
  it.each([
    [9, 0, "Normal", 0.1],
    [1, 2, "Normal", 0.1],
    [10, 11, "Normal", 0.1],
    [9, 11, "PartialDisruption", 0],
    [22, 28, "PartialDisruption", 0],
    [22, 29, "PartialDisruption", 0.01],
    [0, 1, "FullDisruption", 0.1],
  ])(
    "with %i nodes ready and %i not is in %s, and evicts %d a second",
    (ready, not, state, rate) => {
      const { zones, allDisrupted } = zonesOf([...zone("eu/b", 1, 0), ...zone("eu/a", ready, not)]);
      expect(zones).toMatchObject([
        { zone: "eu/a", nodes: ready + not, ready, notReady: not, state, evictionsPerSecond: rate },
        { zone: "eu/b", state: "Normal" },
      ]);
      expect(allDisrupted).toBe(false);
    },
  );

  it("evicts nothing if all zones are disrupted in full", () => {
    expect(zonesOf([...zone("a", 0, 3), ...zone("b", 0, 1)])).toMatchObject({
      zones: [{ evictionsPerSecond: 0 }, { evictionsPerSecond: 0 }],
      allDisrupted: true,
    });
    expect(zonesOf([])).toEqual({ zones: [], allDisrupted: false });
  });

  it("of excluded nodes alone says nothing about whether all zones are disrupted in full", () => {
    const excluded = { zone: "b", ready: "True", isExcluded: true };
    expect(zonesOf([...zone("a", 0, 2), excluded])).toMatchObject({
      zones: [
        { zone: "a", state: "FullDisruption", evictionsPerSecond: 0 },
        { zone: "b", nodes: 1, ready: 0, notReady: 0, state: "Normal", evictionsPerSecond: 0 },
      ],
      allDisrupted: true,
    });
    expect(zonesOf([excluded]).allDisrupted).toBe(false);
  });

  it("counts excluded nodes as neither, and nodes that never reported as not ready", () => {
    const excluded = { zone: "a", ready: "False", isExcluded: true };
    const silent = { zone: "a", ready: undefined, isExcluded: false };
    expect(zonesOf([...zone("a", 1, 0), excluded, silent]).zones).toMatchObject([
      { nodes: 3, ready: 1, notReady: 1, state: "Normal" },
    ]);
    expect(zonesOf([silent])).toMatchObject({
      zones: [{ state: "FullDisruption" }],
      allDisrupted: true,
    });
  });
});
