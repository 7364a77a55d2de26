import { describe, expect, it } from "vitest";
import { replayed } from "../../src/restore/replay.ts";
import { RestoreError } from "../../src/restore/restore-error.ts";
import { ChangeLog, padded } from "../../src/table/change-log.ts";
import type { Item } from "../../src/table/item.ts";
import { linesOf } from "./trail.ts";

const KEY = { pk: "BLOCK#default#10.0.0.0", sk: "10.0.0.0" };

/** The states of a block, one after the other; nothing while it is deleted. */
const STATES: readonly (Item | undefined)[] = [
  undefined,
  { ...KEY, f: 3, epoch: "a", slots: {} },
  { ...KEY, f: 3, epoch: "a", slots: { 7: "token-1" } },
  { ...KEY, f: 3, epoch: "b", slots: { 7: "token-1", 8: new Uint8Array([1, 2]) } },
  { ...KEY, f: 3, epoch: "b", slots: { 8: new Uint8Array([1, 2]) }, idle: 5, of: new Set(["x"]) },
  undefined,
  { ...KEY, f: 3, epoch: "c", slots: { 1: "token-2" } },
  { ...KEY, f: 3, epoch: "c", slots: { 1: "token-3" } },
];

const log = new ChangeLog(() => 1_700_000_000_000);
const LINES = linesOf(
  STATES.slice(1).flatMap((after, n) => log.change(KEY, STATES[n], after) ?? []),
);
const END = STATES.at(-1);

describe("a replay of the lines of an item", () => {
  it("leads from each of its states to the last one", () => {
    for (const state of STATES) expect(replayed(state, LINES)).toEqual(END);
  });

  it("may begin at any line that is not after the state", () => {
    for (const [n, state] of STATES.entries())
      for (let first = 0; first <= n; first++)
        expect(replayed(state, LINES.slice(first))).toEqual(first < LINES.length ? END : state);
  });

  it("does not depend on the order of the lines, and takes each once", () => {
    expect(replayed(STATES[2], [...LINES, ...LINES].reverse())).toEqual(END);
  });

  it("ends with a deletion", () => {
    for (const state of STATES.slice(0, 6))
      expect(replayed(state, LINES.slice(0, 5))).toBeUndefined();
  });

  it("is rejected if a line between two others is missing", () => {
    for (let missing = 1; missing < LINES.length - 1; missing++) {
      const rest = LINES.filter((_, n) => n !== missing);
      expect(() => replayed(STATES[1], rest), `without ${missing}`).toThrow(RestoreError);
    }
  });

  it("may use the lines of another Region alone, which repeat the last day under other numbers, and not both", () => {
    const ofOther = LINES.slice(2).map((line) => ({
      ...line,
      sequence: padded(BigInt(line.sequence) + 10n ** 20n),
    }));
    for (const state of STATES.slice(2)) expect(replayed(state, ofOther)).toEqual(END);
    expect(() => replayed(STATES[1], [...LINES.slice(0, 5), ...ofOther])).toThrow(
      /: lines between them are missing, or another table or Region wrote one of the two$/,
    );
  });

  it("is rejected if the first lines after the state are missing", () => {
    expect(() => replayed(STATES[1], LINES.slice(2, 4))).toThrow(
      "is as no line of the audit trail left it",
    );
    expect(() => replayed(STATES[5], LINES.slice(6))).toThrow(RestoreError);
  });
});
