import { expect, it } from "vitest";
import type { Amended } from "../../src/allocator/amend.ts";
import type { AssignedAddress } from "../../src/allocator/assignment.ts";
import type { Contents } from "../../src/domain/contents.ts";
import { Ledger, promisedOf } from "./ledger.ts";

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
const NOTHING = { blocks: [] } as unknown as Contents;

it("takes either deadline of two renewals that were under way at once: whose was written last is not known", async () => {
  const { ledger, promised } = leased();
  const [first, second] = [answering(), answering()];
  const longer = ledger.renewing(promised, 90_000, first.renew);
  const shorter = ledger.renewing(promised, 50_000, second.renew);
  second.answer(50_000);
  await shorter;
  first.answer(90_000);
  await longer;
  expect(violationsAt(ledger, 60_000)).toEqual([]);
});

it("holds a renewal that nobody interfered with to its deadline", async () => {
  const { ledger, promised } = leased();
  const { renew, answer } = answering();
  const renewal = ledger.renewing(promised, 90_000, renew);
  answer(90_000);
  await renewal;
  expect(violationsAt(ledger, 60_000)).toMatchObject([{ invariant: "I2" }]);
});

function leased() {
  const ledger = new Ledger();
  ledger.hear("pod", undefined, [LEASED], 0);
  return { ledger, promised: promisedOf("pod", LEASED) };
}

/** The address is gone from the table. */
function violationsAt(ledger: Ledger, nowMs: number) {
  ledger.hold(NOTHING, nowMs);
  return ledger.violations;
}

/** A renewal that is answered when the test says so. */
function answering() {
  let resolve: (renewed: Amended) => void;
  const promise = new Promise<Amended>((told) => {
    resolve = told;
  });
  const answer = (expiresAtMs: number) =>
    resolve({ address: LEASED.address, handle: "pod", expiresAtMs, owner: {} });
  return { renew: () => promise, answer };
}
