import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAddress } from "../../../src/net/address.ts";
import { type CrdDecision, decideCrd } from "../../../src/nouns/cilium/crd.ts";
import { availableOf, releaseIpsOf } from "../../../src/nouns/cilium/marks.ts";
import type { CiliumObject } from "../../../src/nouns/cilium/object.ts";
import type { CiliumMemory } from "../../../src/nouns/cilium/report.ts";

const NOTHING: CiliumMemory = { entries: [], excessSinceMs: {} };
const NOW_MS = 1_700_000_000_000;
const SECOND_MS = 1000;

interface Shown {
  readonly pool?: readonly string[];
  readonly used?: readonly string[];
  readonly releaseIps?: Readonly<Record<string, string>>;
  readonly pre?: number;
  readonly min?: number;
}

/** Returns an object that lists and uses these addresses of 10.0.0.0/24, by their last digits. */
const objectOf = ({ pool = [], used = [], releaseIps = {}, pre, min }: Shown): CiliumObject => ({
  ipam: {
    pool: Object.fromEntries(pool.map((n) => [at(n), {}])),
    ...(pre !== undefined && { "pre-allocate": pre }),
    ...(min !== undefined && { "min-allocate": min }),
  },
  status: {
    ipam: {
      used: Object.fromEntries(used.map((n) => [at(n), {}])),
      "release-ips": Object.fromEntries(
        Object.entries(releaseIps).map(([n, word]) => [at(n), word]),
      ),
    },
  },
});

const at = (n: string) => (/^\d+$/.test(n) ? `10.0.0.${n}` : n);

/** A node of which every decision is carried out, without what its pools would add. */
class Node {
  memory = NOTHING;
  readonly held = new Set<string>();
  nowMs = NOW_MS;
  readonly #options: { releaseAfterSeconds?: number; withdrawAfterSeconds: number };

  constructor(held: readonly string[], options: { release?: number; withdraw?: number } = {}) {
    for (const n of held) this.held.add(at(n));
    this.#options = {
      withdrawAfterSeconds: options.withdraw ?? 60,
      ...(options.release !== undefined && { releaseAfterSeconds: options.release }),
    };
  }

  put(shown: Shown, afterSeconds = 0) {
    this.nowMs += afterSeconds * SECOND_MS;
    const decision = this.decide(shown);
    const { entries, excessSinceMs, excessTimesMs } = decision;
    this.memory = { entries, excessSinceMs, ...(excessTimesMs && { excessTimesMs }) };
    for (const text of decision.free) this.held.delete(text);
    const before = new Set(this.held);
    for (const { address } of decision.stated) this.held.add(formatAddress(address));
    return told(decision, before, this.held);
  }

  decide(shown: Shown): CrdDecision {
    const { memory: earlier, held, nowMs } = this;
    return decideCrd({ ...this.#options, object: objectOf(shown), earlier, held, nowMs });
  }
}

const short = (text: string) => text.replace("10.0.0.", "");

/** Tells a decision in short: last digits, and the first letter of each word. */
const told = (decision: CrdDecision, before: ReadonlySet<string>, held: ReadonlySet<string>) => ({
  pool: ([4, 6] as const)
    .flatMap((family) => availableOf(decision, held, family))
    .map(short)
    .join(),
  freed: decision.free.map(short).join(),
  taken: decision.stated
    .filter(({ address }) => !before.has(formatAddress(address)))
    .map(({ address, isUsed }) => `${short(formatAddress(address))}${isUsed ? " used" : ""}`)
    .join(),
  releaseIps: Object.entries(releaseIpsOf(decision))
    .map(([text, word]) => `${short(text)} ${word}`)
    .join(),
});

describe("an address that the object lists", () => {
  it("is taken if the uid does not hold it, and only a used one may cool", () => {
    const node = new Node(["1"]);
    expect(node.put({ pool: ["1", "2", "3"], used: ["3", "4"] })).toMatchObject({
      taken: "2,3 used,4 used",
      pool: "1,2,3,4",
    });
  });

  it("is dropped if its key is no address, and is the same in every spelling", () => {
    const node = new Node(["2001:db8::1"]);
    const pool = ["2001:DB8:0::1", "300", "any", "10.0.0.1/32"];
    expect(node.put({ pool, used: ["any"] })).toMatchObject({ pool: "2001:db8::1", taken: "" });
  });
});

describe("an address that was listed once and is missing now", () => {
  it("is withdrawn: it leaves the answer, and is freed when used has lacked it for so long", () => {
    const node = new Node(["1", "2"]);
    node.put({ pool: ["1", "2"] });
    expect(node.put({ pool: ["1"] })).toMatchObject({ pool: "1", freed: "" });
    expect(node.put({ pool: ["1"] }, 59)).toMatchObject({ pool: "1", freed: "" });
    expect(node.put({ pool: ["1"] }, 1)).toMatchObject({ pool: "1", freed: "2" });
    expect(node.put({ pool: ["1"] })).toMatchObject({ pool: "1", freed: "" });
    expect(node.memory.entries.map(({ text }) => text)).toEqual([at("1")]);
  });

  it("stays held, and out of the answer, while it is used", () => {
    const node = new Node(["1", "2"]);
    node.put({ pool: ["1", "2"], used: ["2"] });
    expect(node.put({ pool: ["1"], used: ["2"] }, 100)).toMatchObject({ pool: "1", freed: "" });
    expect(node.put({ pool: ["1"] }, 100)).toMatchObject({ freed: "" });
    expect(node.put({ pool: ["1"], used: ["2"] }, 59)).toMatchObject({ freed: "" });
    expect(node.put({ pool: ["1"] }, 59)).toMatchObject({ freed: "" });
    expect(node.put({ pool: ["1"] }, 60)).toMatchObject({ freed: "2" });
  });

  it("is the node's again when it is listed again", () => {
    const node = new Node(["1", "2"]);
    node.put({ pool: ["1", "2"] });
    node.put({ pool: ["1"] });
    expect(node.put({ pool: ["1", "2"] }, 100)).toMatchObject({ pool: "1,2", freed: "" });
    expect(node.put({ pool: ["1"] })).toMatchObject({ freed: "" });
  });

  it("is not withdrawn by an object without entries, which may be new", () => {
    const node = new Node(["1", "2"]);
    node.put({ pool: ["1", "2"] });
    node.put({ pool: ["1"] });
    expect(node.put({}, 100)).toMatchObject({ pool: "1", freed: "" });
    expect(node.put({ pool: ["1"] })).toMatchObject({ freed: "2" });
    expect(node.held).toEqual(new Set([at("1")]));
  });

  it("is withdrawn by an entry of the other family", () => {
    const node = new Node(["1", "2001:db8::1"], { withdraw: 0 });
    node.put({ pool: ["1", "2001:db8::1"] });
    expect(node.put({ pool: ["2001:db8::1"] })).toMatchObject({ freed: "1" });
  });

  it("is not withdrawn if only an answer of ours had it", () => {
    const node = new Node(["1", "2"], { withdraw: 0 });
    expect(node.put({ pool: ["1"] })).toMatchObject({ pool: "1,2", freed: "" });
    expect(node.put({ pool: ["1"] }, 100)).toMatchObject({ pool: "1,2", freed: "" });
  });
});

describe("an excess", () => {
  const POOL = ["1", "2", "3", "4"];
  const FEW = { pool: POOL, pre: 2 };

  it("is never released unless the request says when", () => {
    const node = new Node(POOL);
    node.put(FEW);
    expect(node.put(FEW, 1000)).toMatchObject({ releaseIps: "", freed: "" });
    expect(node.memory.excessSinceMs).toEqual({});
  });

  it("is marked when it has lasted, released when the agent is ready, and forgotten when the agent has dropped it", () => {
    const node = new Node(POOL, { release: 180 });
    expect(node.put(FEW)).toMatchObject({ releaseIps: "" });
    expect(node.put(FEW, 179)).toMatchObject({ releaseIps: "" });
    const marked = { releaseIps: "1 marked-for-release,2 marked-for-release", pool: "1,2,3,4" };
    expect(node.put(FEW, 1)).toMatchObject(marked);
    expect(node.put(FEW, 1000)).toMatchObject(marked);
    const ready = { ...FEW, releaseIps: { 1: "ready-for-release", 2: "marked-for-release" } };
    expect(node.put(ready)).toMatchObject({
      releaseIps: "1 released,2 marked-for-release",
      pool: "2,3,4",
      freed: "1",
    });
    // The agent has not seen the answer yet, then it has, then it has dropped its entry.
    expect(node.put(ready)).toMatchObject({
      releaseIps: "1 released,2 marked-for-release",
      taken: "",
    });
    const left = { pool: ["2", "3", "4"], pre: 2 };
    expect(node.put({ ...left, releaseIps: { 1: "released" } })).toMatchObject({
      releaseIps: "1 released,2 marked-for-release",
    });
    expect(node.put(left)).toMatchObject({ releaseIps: "2 marked-for-release", pool: "2,3,4" });
    expect(node.memory.entries.map(({ text }) => short(text))).toEqual(["2", "3", "4"]);
  });

  const markedIn = ({ releaseIps }: { readonly releaseIps: string }) =>
    releaseIps.match(/marked/g)?.length ?? 0;

  it("that has grown is marked only by as much as has lasted", () => {
    const node = new Node(POOL, { release: 180 });
    const used = { ...FEW, used: ["4"] };
    node.put(used);
    node.put(FEW, 179);
    expect(markedIn(node.put(FEW, 2))).toBe(1);
    expect(markedIn(node.put(FEW, 177))).toBe(1);
    expect(markedIn(node.put(FEW, 1))).toBe(2);
  });

  it("that shrank and grew again waits anew by as much", () => {
    const node = new Node(POOL, { release: 180 });
    node.put(FEW);
    node.put({ ...FEW, used: ["4"] }, 100);
    node.put(FEW, 1);
    expect(markedIn(node.put(FEW, 79))).toBe(1);
    expect(markedIn(node.put(FEW, 101))).toBe(2);
  });

  it("does not inherit the time of what is released of it", () => {
    const node = new Node(POOL, { release: 180 });
    node.put({ ...FEW, used: ["4"] });
    node.put(FEW, 179);
    expect(markedIn(node.put(FEW, 2))).toBe(1);
    const ready = { ...FEW, releaseIps: { 1: "ready-for-release" } };
    expect(node.put(ready, 1)).toMatchObject({ freed: "1" });
    expect(markedIn(node.put(ready, 1))).toBe(0);
    expect(markedIn(node.put(ready, 176))).toBe(1);
  });

  it("of which an older version kept only its start counts as one address since then", () => {
    const node = new Node(POOL, { release: 180 });
    node.put(FEW);
    const { excessTimesMs: _, ...older } = node.memory;
    node.memory = older;
    expect(markedIn(node.put(FEW, 180))).toBe(1);
    expect(markedIn(node.put(FEW, 180))).toBe(2);
  });

  it("waits anew after the agent refused, and the address stays", () => {
    const node = new Node(POOL, { release: 10 });
    node.put(FEW);
    node.put(FEW, 10);
    const refused = { ...FEW, releaseIps: { 1: "do-not-release" } };
    const left = { releaseIps: "2 marked-for-release", pool: "1,2,3,4", freed: "" };
    expect(node.put(refused, 5)).toMatchObject(left);
    expect(node.put(FEW, 9)).toMatchObject(left);
    expect(node.put(FEW, 1)).toMatchObject({
      releaseIps: "1 marked-for-release,2 marked-for-release",
    });
  });

  it("that is over drops its marks, also what the agent is ready to release", () => {
    const node = new Node(POOL, { release: 0 });
    node.put(FEW);
    const ready = { 1: "ready-for-release", 2: "ready-for-release" };
    expect(node.put({ ...FEW, used: ["3", "4"], releaseIps: ready })).toMatchObject({
      releaseIps: "",
      freed: "",
      pool: "1,2,3,4",
    });
  });

  it("ignores a word of the agent for what is not marked, and marks it only when that is gone", () => {
    const node = new Node(POOL, { release: 0 });
    const early = { ...FEW, releaseIps: { 1: "ready-for-release", 2: "released", 9: "released" } };
    expect(node.put(early)).toMatchObject({
      releaseIps: "3 marked-for-release,4 marked-for-release",
      freed: "",
    });
  });

  it("is counted by family", () => {
    const pool = [...POOL, "2001:db8::1", "2001:db8::2"];
    const node = new Node(pool, { release: 0 });
    node.put({ pool, pre: 2 });
    expect(node.memory.excessSinceMs).toEqual({ 4: NOW_MS });
  });
});

describe("a released address that is used all the same", () => {
  const POOL = ["1", "2", "3"];
  const released = { pool: ["2", "3"], pre: 2, releaseIps: { 1: "released" } };

  /** Returns a node whose agent agreed to the release of the first address. */
  function afterRelease(): Node {
    const node = new Node(POOL, { release: 0 });
    node.put({ pool: POOL, pre: 2 });
    const ready = { pool: POOL, pre: 2, releaseIps: { 1: "ready-for-release" } };
    expect(node.put(ready)).toMatchObject({ freed: "1" });
    return node;
  }

  it("is taken back, and withdrawn, when the object has dropped it from its pool", () => {
    const node = afterRelease();
    const shown = { taken: "1 used", freed: "", pool: "2,3", releaseIps: "" };
    expect(node.put({ ...released, used: ["1"] })).toMatchObject(shown);
    expect(node.put({ ...released, used: ["1"] }, 1000)).toMatchObject({ taken: "", freed: "" });
    expect(node.put(released)).toMatchObject({ freed: "" });
    expect(node.put(released, 60)).toMatchObject({ freed: "1" });
  });

  it("is taken back, and available again, while the object lists it", () => {
    const node = afterRelease();
    const again = { pool: POOL, pre: 2, used: ["1"], releaseIps: { 1: "released" } };
    expect(node.put(again)).toMatchObject({ taken: "1 used", pool: "2,3,1", releaseIps: "" });
    expect(node.put(again)).toMatchObject({ taken: "", freed: "", pool: "2,3,1" });
  });
});

const digit = fc.integer({ min: 1, max: 8 }).map(String);
const some = fc.uniqueArray(digit, { maxLength: 8 });
const word = fc.constantFrom(
  "marked-for-release",
  "ready-for-release",
  "do-not-release",
  "released",
  "nonsense",
);
const shownAtRandom: fc.Arbitrary<Shown> = fc.record({
  pool: some,
  used: some,
  releaseIps: fc.dictionary(digit, word, { maxKeys: 4 }),
  pre: fc.nat(4),
  min: fc.nat(4),
});
const steps = fc.array(fc.tuple(shownAtRandom, fc.nat(20)), { maxLength: 12 });
const options = fc.record({ release: fc.nat(20), withdraw: fc.nat(20) });

describe("whatever the objects show", () => {
  it("nothing is freed that is used, that the agent did not agree to, or that was not withdrawn", () => {
    fc.assert(
      fc.property(some, options, steps, (held, given, objects) => {
        const node = new Node(held, given);
        for (const [shown, seconds] of objects) {
          const before = new Map(node.memory.entries.map(({ text, state }) => [text, state]));
          const { freed } = node.put(shown, seconds);
          for (const n of freed === "" ? [] : freed.split(",")) {
            expect(shown.used ?? []).not.toContain(n);
            const isReady = shown.releaseIps?.[n] === "ready-for-release";
            const wasMarked = before.get(at(n)) === "marked";
            expect(before.has(at(n))).toBe(true);
            expect((isReady && wasMarked) || !shown.pool?.includes(n)).toBe(true);
          }
        }
      }),
    );
  });

  it("what is used is taken", () => {
    fc.assert(
      fc.property(some, options, steps, (held, given, objects) => {
        const node = new Node(held, given);
        for (const [shown, seconds] of objects) {
          node.put(shown, seconds);
          for (const n of shown.used ?? []) expect(node.held).toContain(at(n));
        }
      }),
    );
  });

  it("a release leaves the minimum, and what is spare", () => {
    fc.assert(
      fc.property(some, options, steps, (held, given, objects) => {
        const node = new Node(held, given);
        for (const [shown, seconds] of objects) {
          const isHeldBefore = new Set(node.held);
          const { freed } = node.put(shown, seconds);
          const isReleased = freed.split(",").some((n) => shown.pool?.includes(n));
          if (!isReleased) continue;
          const left = availableOf(node.memory, node.held, 4).filter((each) =>
            isHeldBefore.has(each),
          );
          const used = left.filter((each) => shown.used?.includes(short(each)));
          expect(left.length).toBeGreaterThanOrEqual(shown.min ?? 0);
          expect(left.length - used.length).toBeGreaterThanOrEqual(shown.pre ?? 0);
        }
      }),
    );
  });

  it("the same PUT again comes to rest: it decides the same, and frees and takes nothing more", () => {
    fc.assert(
      fc.property(some, options, steps, (held, given, objects) => {
        const node = new Node(held, given);
        for (const [shown, seconds] of objects) {
          node.put(shown, seconds);
          // What was taken or freed may make an excess, or end one.
          const once = node.put(shown);
          const settled = node.memory;
          expect(node.put(shown)).toEqual(once);
          expect(once).toMatchObject({ freed: "", taken: "" });
          expect(node.memory).toEqual(settled);
        }
      }),
    );
  });
});
