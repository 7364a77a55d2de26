import { expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { allocationWith, blockWith, network, taken, token } from "../builders.ts";
import { StatedNetworks } from "./stated-networks.ts";

const PREFIX = network("10.8.0.0/24");
const LATEST_READ_MS = REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;

/** Returns the verdict on a prefix that is taken under an allocation of that time, after acts of two nodes. */
async function verdictOn(
  atMs: number,
  acts: (judge: StatedNetworks) => Promise<unknown>,
  handle = "node/b/uid",
): Promise<readonly string[]> {
  const judge = new StatedNetworks();
  await acts(judge);
  const part = { token: token(1), block: PREFIX, count: 1, ordinals: [0] };
  const blocks = [{ ...blockWith({ 0: taken() }, { cidr: PREFIX }), whole: true }];
  const allocations = [allocationWith({ atMs, handle, parts: [part] })];
  judge.step({ blocks, allocations } as unknown as Contents, { nowMs: atMs, skewMs: 0 });
  return judge.violations.map(({ message }) => message);
}

const states = (judge: StatedNetworks, handle: string, ...cidrs: readonly string[]) =>
  judge.acting(handle, cidrs.map(network), async () => {});
const half = (judge: StatedNetworks) => states(judge, "node/a/uid", "10.8.0.128/25");

it("notices a prefix that touches a network which a node states, once nobody can have read earlier", async () => {
  expect(await verdictOn(LATEST_READ_MS + 1, half)).toEqual([
    "node/b/uid gets 10.8.0.0/24, and node/a/uid states 10.8.0.128/25",
  ]);
  expect(await verdictOn(LATEST_READ_MS, half)).toEqual([]);
});

it("finds nothing in a prefix beside the networks, or after their node stated another", async () => {
  const beside = (judge: StatedNetworks) => states(judge, "node/a/uid", "10.8.1.0/25");
  expect(await verdictOn(LATEST_READ_MS + 1, beside)).toEqual([]);
  const again = async (judge: StatedNetworks) => {
    await half(judge);
    await beside(judge);
  };
  expect(await verdictOn(LATEST_READ_MS + 1, again)).toEqual([]);
});

it("believes a node that states the prefix itself, and waits for acts that were cut off", async () => {
  const both = async (judge: StatedNetworks) => {
    await half(judge);
    await states(judge, "node/b/uid", "10.8.0.0/24");
  };
  expect(await verdictOn(LATEST_READ_MS + 1, both)).toEqual([]);
  const cutOff = async (judge: StatedNetworks) => {
    const lost = judge.acting("node/a/uid", [], async () => Promise.reject(new Error("cut off")));
    await lost.catch(() => {});
    await half(judge);
  };
  expect(await verdictOn(LATEST_READ_MS + 1, cutOff)).toEqual([]);
});

it("holds nobody to what a node says that has ended", async () => {
  const late = (judge: StatedNetworks) =>
    judge.acting(
      "node/a/uid",
      [network("10.8.0.128/25")],
      async () => new Rejection("node_gone", "", {}),
    );
  expect(await verdictOn(LATEST_READ_MS + 1, late)).toEqual([]);
});

it("does not know which of two acts side by side took effect last", async () => {
  const overlapping = async (judge: StatedNetworks) => {
    let end = () => {};
    const slow = judge.acting(
      "node/a/uid",
      [network("10.8.0.128/25")],
      () => new Promise<void>((resolve) => (end = resolve)),
    );
    await states(judge, "node/a/uid");
    end();
    await slow;
  };
  expect(await verdictOn(LATEST_READ_MS + 1, overlapping)).toEqual([]);
});
