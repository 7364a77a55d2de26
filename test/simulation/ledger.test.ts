import { describe, expect, it } from "vitest";
import type { Contents } from "../../src/invariants/contents.ts";
import type { AssignedAddress } from "../../src/kernel/assign/assignment.ts";
import type { Amended } from "../../src/nouns/address/operations/amend-address.ts";
import { Ledger, promisedOf } from "./ledger.ts";
import { cidrOf } from "./scenario.ts";

const LEASED: AssignedAddress = {
  address: "2001:db8::",
  family: 6,
  block: "2001:db8::/127",
  pool: "pool-6",
  generation:
    "g1.AYvP5iWVbzHwmEI.620010db8000000000000000000000000.127.497809352ce618a6.iAYvP5gGENHfyb2U.1",
  borrowed: false,
  expiresAtMs: 10_000,
};
const BLOCK = cidrOf(LEASED.block);
const { token } = promisedOf("pod", LEASED).parsed;
/** A table in which the address is taken, and found under its host. */
const HELD = {
  blocks: [{ cidr: BLOCK, slots: new Map([[0, { kind: "taken", token }]]) }],
  allocations: [{ host: "host:node-1", parts: [{ token }] }],
  affinities: [{ host: "host:node-1", block: BLOCK }],
  fullBlocks: [],
  borrowedBlocks: [],
} as unknown as Contents;
const NOTHING = { blocks: [], allocations: [] } as unknown as Contents;

const DAY_MS = 24 * 60 * 60 * 1000;

describe("a quarantine that a caller was told of", () => {
  const UNTIL_MS = 10_000;

  it("must be over before the address is taken", () => {
    expect(takenAt(UNTIL_MS - 1)).toMatchObject([{ invariant: "I16" }]);
    expect(takenAt(UNTIL_MS)).toEqual([]);
  });

  function takenAt(nowMs: number) {
    const ledger = new Ledger();
    ledger.heardQuarantine(LEASED.address, UNTIL_MS, 0);
    ledger.step(HELD, nowMs);
    return ledger.violations;
  }
});

it("holds a renewal that nobody interfered with to its deadline", async () => {
  const { ledger, promised } = leased();
  const { renew, answer } = answering();
  const renewal = ledger.renewing(promised, 90_000, renew);
  answer(90_000);
  await renewal;
  expect(violationsAt(ledger, 60_000)).toMatchObject([{ invariant: "I2" }]);
});

it("tells of a release by host that says it is complete and has left an address", async () => {
  for (const [complete, left, invariants] of [
    [true, HELD, ["I11"]],
    [true, { ...HELD, blocks: [] }, []],
    [false, HELD, []],
  ] as const) {
    const { ledger } = leased();
    ledger.hold(HELD, 0);
    await ledger.endingHost("host:node-1", async () => {
      ledger.hold(left, 0);
      return { released: [], kept: [], complete, progressed: false, unreadable: [] };
    });
    expect(ledger.violations.map(({ invariant }) => invariant)).toEqual(invariants);
  }
});

it("a key under a limit binds for a day, because its answer may have the addresses of other requests only", () => {
  const generation = LEASED.generation.replace("AYvP5iWVbzHwmEI", "AYvP5iWVbzHwmEJ");
  const violationsAfter = (ms: number, limitedSince: number | undefined) => {
    const ledger = new Ledger();
    ledger.hold(HELD, 0);
    const answer = { ...LEASED, expiresAtMs: 10 * DAY_MS };
    ledger.hear("pod", "key", [answer], limitedSince);
    ledger.hold(HELD, ms);
    ledger.hear("pod", "key", [{ ...answer, generation }], limitedSince);
    return ledger.violations.filter(({ invariant }) => invariant === "I8");
  };
  expect(violationsAfter(DAY_MS / 2, 1)).toHaveLength(1);
  expect(violationsAfter(DAY_MS, 1)).toEqual([]);
  expect(violationsAfter(DAY_MS, undefined)).toHaveLength(1);
});

function leased() {
  const ledger = new Ledger();
  ledger.hear("pod", undefined, [LEASED], 0);
  return { ledger, promised: promisedOf("pod", LEASED) };
}

/** Returns the violations if the address is gone from the table. */
function violationsAt(ledger: Ledger, nowMs: number) {
  ledger.hold(NOTHING, nowMs);
  return ledger.violations;
}

/** Returns a renewal that is answered when the test decides. */
function answering() {
  let resolve: (renewed: Amended) => void;
  const promise = new Promise<Amended>((told) => {
    resolve = told;
  });
  const answer = (expiresAtMs: number) =>
    resolve({ address: LEASED.address, handle: "pod", expiresAtMs, owner: {} });
  return { renew: () => promise, answer };
}
