import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  judgeNode,
  type NewTombstone,
  type NodeLife,
  type NodeWord,
  type Verdict,
} from "../../../src/nouns/node/judge-node.ts";
import type { NodeIncarnation, NodeReport } from "../../../src/nouns/node/node-report.ts";
import type { Tombstone } from "../../../src/nouns/node/tombstone.ts";

const of = { space: "default", name: "n1" };

const reportOf = (word: NodeIncarnation): NodeReport => ({
  ...of,
  uid: word.uid,
  resourceVersion: word.resourceVersion,
  createdAtMs: word.createdAtMs,
  podCidrs: [],
  conditions: [],
  isUnschedulable: false,
  zone: "",
  isExcluded: false,
  seenAtMs: 0,
  isRegistering: false,
  annotations: [],
  revision: "revision",
});

function tombstoneOf({ seen, isAnew: _, ...ending }: NewTombstone): Tombstone {
  const times = { sinceMs: 0, dueAtMs: 0, revision: "revision" };
  return { ...of, ...times, state: seen?.state ?? "quarantined", ...ending };
}

/** Carries out a verdict as the allocator does. */
function after(life: NodeLife, word: NodeWord): NodeLife {
  const verdict: Verdict = judgeNode(life, word);
  const buried = verdict.endings.map(tombstoneOf);
  const gone = [...buried, ...(verdict.revived ? [verdict.revived] : [])].map(({ uid }) => uid);
  const tombstones = [...life.tombstones.filter(({ uid }) => !gone.includes(uid)), ...buried];
  if (verdict.registers && word.kind === "stated") return { report: reportOf(word), tombstones };
  const stays = life.report && !verdict.leaving.includes(life.report.uid);
  return { report: stays ? life.report : undefined, tombstones };
}

const NOTHING: NodeLife = { report: undefined, tombstones: [] };
const ended = (words: readonly NodeWord[]): NodeLife => words.reduce(after, NOTHING);

const word = (kind: "stated" | "deleted", uid: string, version: number, created = 0): NodeWord => ({
  kind,
  uid,
  resourceVersion: String(version),
  createdAtMs: created,
});

/** A history of the objects of one name, in the order in which the cluster made it. */
const history = fc
  .array(
    fc.record({
      events: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
      same: fc.boolean(),
    }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((objects) => {
    let version = 8;
    let created = 0;
    return objects.flatMap(({ events, same }, n) => {
      if (!same) created += 1_000;
      // The first event states the object, or nobody could end it. Any later one can be its end, also for a selector.
      return events.map((isEnd, i) =>
        word(isEnd && i > 0 ? "deleted" : "stated", `uid-${n}`, version++, created),
      );
    });
  });

describe("events of the objects of one node's name", () => {
  it("lead in every order, and with repeats, to what the cluster has", () => {
    fc.assert(
      fc.property(
        history.chain((words) =>
          fc.tuple(
            fc.constant(words),
            fc.shuffledSubarray([...words, ...words], {
              minLength: 2 * words.length,
              maxLength: 2 * words.length,
            }),
          ),
        ),
        ([words, shuffled]) => {
          const last = words.at(-1) as NodeWord & { kind: "stated" | "deleted" };
          const expected = last.kind === "stated" ? last.resourceVersion : undefined;
          const { report, tombstones } = ended(shuffled);
          expect(report?.resourceVersion).toBe(expected);
          if (report) expect(report.uid).toBe(last.uid);
          const alive = report ? [report.uid] : [];
          const dead = [...new Set(words.map(({ uid }) => uid))].filter(
            (uid) => !alive.includes(uid),
          );
          expect(tombstones.map(({ uid }) => uid).sort()).toEqual(dead.sort());
        },
      ),
    );
  });

  it("of an object that left a watch and came back, do not end it", () => {
    const words = [word("stated", "a", 1), word("deleted", "a", 2), word("stated", "a", 3)];
    expect(ended(words)).toMatchObject({ report: { resourceVersion: "3" }, tombstones: [] });
  });

  it("compare versions as numbers", () => {
    const { report } = ended([word("stated", "a", 10), word("stated", "a", 9)]);
    expect(report?.resourceVersion).toBe("10");
  });

  it("do not bring back a node whose machine is gone", () => {
    const words = [
      word("stated", "a", 1),
      { kind: "terminated", uid: "a" } as const,
      word("stated", "a", 9),
      word("deleted", "a", 10),
    ];
    const { report, tombstones } = ended(words);
    expect(report).toBeUndefined();
    expect(tombstones).toMatchObject([{ uid: "a", by: "machine" }]);
  });

  it("give a replaced object that still speaks more time, so that two clusters of one name are noticed", () => {
    const life = ended([word("stated", "a", 1), word("stated", "b", 5, 9)]);
    const verdict = judgeNode(life, word("stated", "a", 7));
    expect(verdict).toMatchObject({
      status: "stale",
      endings: [{ uid: "a", by: "replaced", resourceVersion: "7", isAnew: true }],
    });
  });

  it("come again while the repair run frees what the node had", () => {
    const { tombstones } = ended([word("stated", "a", 1), word("deleted", "a", 2)]);
    const freeing = tombstones.map((each) => ({ ...each, state: "freeing" as const }));
    const verdict = judgeNode({ report: undefined, tombstones: freeing }, word("stated", "a", 3));
    expect(verdict).toMatchObject({ status: "freeing", registers: false, endings: [] });
  });
});
