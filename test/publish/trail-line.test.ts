import { describe, expect, it } from "vitest";
import { trailLineOf } from "../../src/publish/trail-line.ts";
import { padded } from "../../src/table/change-log.ts";
import type { Item } from "../../src/table/item.ts";

const KEY = { pk: "BLOCK#default#10.0.0.0/20", sk: "10.0.0.0" };
const BLOCK: Item = {
  ...KEY,
  f: 3,
  prefix: 26,
  slots: { 1: Uint8Array.of(1, 2), 2: Uint8Array.of(3) },
  w: ["alice", "r1", "192.0.2.7"],
};
const change = (before: Item | undefined, after: Item | undefined, key = KEY) => ({
  key,
  ...(before && { before }),
  ...(after && { after }),
  sequence: padded(7n),
  atMs: Date.UTC(2026, 10, 24, 12),
});

describe("a line of the audit trail", () => {
  it("tells who changed what and when, and only what changed", () => {
    const after = { ...BLOCK, slots: { 2: Uint8Array.of(3), 3: Uint8Array.of(255) } } as Item;
    expect(trailLineOf(change(BLOCK, after))).toEqual({
      id: expect.any(String),
      at: "2026-11-24T12:00:00.000Z",
      sequence: padded(7n),
      kind: "BLOCK",
      called: "block 10.0.0.0",
      item: "changed",
      key: KEY,
      by: { principal: "alice", requestId: "r1", sourceIp: "192.0.2.7" },
      changes: [
        { path: ["slots", "1"], before: { B: "AQI=" } },
        { path: ["slots", "3"], after: { B: "/w==" } },
      ],
    });
  });

  it("tells every attribute of a created and of a deleted item", () => {
    const created = trailLineOf(change(undefined, BLOCK));
    expect(created).toMatchObject({ item: "created" });
    expect(created?.changes.map(({ path }) => path[0])).toEqual(["f", "prefix", "slots", "w"]);
    expect(created?.changes.every(({ before }) => before === undefined)).toBe(true);
    const deleted = trailLineOf(change(BLOCK, undefined));
    expect(deleted).toMatchObject({ item: "deleted", by: { principal: "alice" } });
    expect(deleted?.changes.every(({ after }) => after === undefined)).toBe(true);
  });

  it("is JSON, with the members of a set in order", () => {
    const set = (...members: string[]) => ({ ...BLOCK, released: new Set(members) }) as Item;
    expect(trailLineOf(change(set("b", "a"), set("a", "b")))).toBeUndefined();
    const line = trailLineOf(change(BLOCK, set("b", "a")));
    expect(line?.changes).toEqual([{ path: ["released"], after: { SS: ["a", "b"] } }]);
    expect(JSON.parse(JSON.stringify(line))).toEqual(line);
  });

  it("has the same id for the same change, and another for another", () => {
    const one = change(undefined, BLOCK);
    expect(trailLineOf(one)?.id).toBe(trailLineOf({ ...one })?.id);
    expect(trailLineOf({ ...one, sequence: padded(8n) })?.id).not.toBe(trailLineOf(one)?.id);
  });

  it.each(["FULLPOOLS#default", "USAGE#default", "SWEEP"])("is not written for %s", (pk) => {
    const key = { pk, sk: "x" };
    expect(trailLineOf(change(undefined, { ...key, f: 1 }, key))).toBeUndefined();
  });

  it("is refused for an item of no known kind", () => {
    const key = { pk: "NEWER#x", sk: "x" };
    expect(() => trailLineOf(change(undefined, { ...key, f: 1 }, key))).toThrow("no known kind");
  });
});
