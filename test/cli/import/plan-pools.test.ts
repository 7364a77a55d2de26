import { expect, it } from "vitest";
import type { CurrentState } from "../../../src/cli/import/current.ts";
import { knownPools, planPools } from "../../../src/cli/import/plan-pools.ts";
import type { PoolRead } from "../../../src/cli/space/configuration.ts";

const ROLE = "arn:aws:iam::123456789012:role/red";
const POOL = {
  ...{ name: "red", cidr: "10.1.0.0/24", blockSize: 28, assign: "addresses" },
  ...{ disabled: false, assignmentMode: "Automatic", principals: [ROLE] },
} as unknown as PoolRead;
const NOTHING = {
  pools: [],
  reservations: [],
  labelled: [],
  blocks: [],
  addresses: [],
  conflicts: [],
  notes: [],
};

it.each([
  [ROLE, []],
  [
    "token:ci",
    [
      {
        kind: "pool",
        name: "red",
        problem:
          "does not serve token:ci (principals arn:aws:iam::123456789012:role/red) in Plat, but the import would assign addresses in it",
      },
    ],
  ],
  [
    undefined,
    [
      {
        kind: "pool",
        name: "red",
        problem:
          "does not serve a request without a principal (principals arn:aws:iam::123456789012:role/red) in Plat, but the import would assign addresses in it",
      },
    ],
  ],
])("a pool with principals that %s fills has the conflicts %j", (caller, conflicts) => {
  const current = { caller, pools: [POOL] } as unknown as CurrentState;
  const known = knownPools(NOTHING, current);
  const assigns = [
    { block: "10.1.0.0/28", address: "10.1.0.1", handle: "a", host: "host:n1", attributes: {} },
  ] as never;
  const work = { claims: [], assigns };
  expect(planPools(NOTHING, current, known, work)).toEqual({ steps: [], conflicts });
  expect(planPools(NOTHING, current, known, { ...work, assigns: [] }).conflicts).toEqual([]);
});
