import { expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../src/base/limits.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { allocationWith, blockWith, network, taken, token } from "../builders.ts";
import { StatedNetworks } from "./stated-networks.ts";

const PREFIX = network("10.8.0.0/24");
const LATEST_READ_MS = REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;

/** Returns the verdict on a prefix that is taken under an allocation of that time, after acts of another node. */
async function verdictOn(
  atMs: number,
  acts: (judge: StatedNetworks) => Promise<unknown>,
): Promise<readonly string[]> {
  const judge = new StatedNetworks();
  await acts(judge);
  const part = { token: token(1), block: PREFIX, count: 1, ordinals: [0] };
  const blocks = [{ ...blockWith({ 0: taken() }, { cidr: PREFIX }), whole: true }];
  const allocations = [allocationWith({ atMs, handle: "node/b/uid", parts: [part] })];
  judge.step({ blocks, allocations } as unknown as Contents, { nowMs: atMs, skewMs: 0 });
  return judge.violations.map(({ message }) => message);
}

const half = (judge: StatedNetworks) =>
  judge.acting("node/a/uid", [network("10.8.0.128/25")], async () => {});

it("notices a prefix that touches a network which a node states, once nobody can have read earlier", async () => {
  expect(await verdictOn(LATEST_READ_MS + 1, half)).toEqual([
    "node/b/uid gets 10.8.0.0/24, and node/a/uid states 10.8.0.128/25",
  ]);
  expect(await verdictOn(LATEST_READ_MS, half)).toEqual([]);
});
