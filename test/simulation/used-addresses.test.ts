import { expect, it } from "vitest";
import type { Contents } from "../../src/invariants/contents.ts";
import { ciliumHandle } from "../../src/kernel/values/handle.ts";
import { blockWith, network, taken } from "../builders.ts";
import { UsedAddresses } from "./used-addresses.ts";

const USED = "10.0.0.0";

/** Returns the violations after a step in which agents of these nodes use an address that this node has. */
function verdictOn(users: readonly string[], owner: string): readonly string[] {
  const judge = new UsedAddresses();
  for (const name of users)
    judge.watch({
      handle: ciliumHandle(name, "uid-1"),
      inUse: new Set([USED]),
      advance: () => {},
    });
  const blocks = [blockWith({ 0: taken(1, ciliumHandle(owner, "uid-1")) })];
  judge.step({ blocks } as unknown as Contents, { nowMs: 0, skewMs: 0 });
  return judge.violations.map(({ message }) => message);
}

it("notices an address that its agent uses and its node has not", () => {
  expect(verdictOn(["node-1"], "node-2")).toEqual([
    "cilium/node-1/uid-1 uses 10.0.0.0, and has it not",
  ]);
});

it("notices an address that two agents use", () => {
  expect(verdictOn(["node-1", "node-2"], "node-1")).toEqual([
    "cilium/node-2/uid-1 and cilium/node-1/uid-1 use 10.0.0.0",
    "cilium/node-2/uid-1 uses 10.0.0.0, and has it not",
  ]);
});

it("notices a prefix that its agent uses and its node has not", () => {
  const judge = new UsedAddresses();
  const block = blockWith({ 0: taken(1, "node/node-1/uid-1") }, { cidr: network("10.7.0.0/30") });
  for (const handle of ["node/node-1/uid-1", "node/node-2/uid-1"])
    judge.watch({ handle, inUse: new Set(["10.7.0.0/30"]), advance: () => {} });
  judge.step({ blocks: [{ ...block, whole: true }] } as unknown as Contents, {
    nowMs: 0,
    skewMs: 0,
  });
  expect(judge.violations.map(({ message }) => message)).toEqual([
    "node/node-2/uid-1 and node/node-1/uid-1 use 10.7.0.0/30",
    "node/node-2/uid-1 uses 10.7.0.0/30, and has it not",
  ]);
});
