import { expect, it } from "vitest";
import type { Context } from "../../../src/kernel/core/context.ts";
import { listPrefixes } from "../../../src/nouns/prefix/operations/list-prefixes.ts";
import { showPrefixes } from "../../cilium.ts";
import { ensure, putPrefixPools } from "../../prefixes.ts";
import { repairAll } from "../../scheduled-runs.ts";
import { makeWorld, SPACE } from "../../world.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Returns the states of a node's prefixes after their lease has ended twice. */
async function afterLease(gets: (context: Context, node: string) => Promise<unknown>) {
  const { calm, clock } = await makeWorld();
  await putPrefixPools(calm);
  await gets(calm, "node-1");
  for (let n = 0; n < 2; n++) {
    clock.nowMs += 2 * HOUR_MS;
    await repairAll(calm);
  }
  const listed = await listPrefixes(calm, { space: SPACE, node: "node-1" });
  return listed.map(({ expiresAtMs }) => (expiresAtMs === undefined ? "confirmed" : "pending"));
}

it("the prefixes of a CiliumNode that shows none yet stay its own after their lease", async () => {
  expect(await afterLease((context, node) => showPrefixes(context, node))).toEqual([
    "pending",
    "pending",
  ]);
});

it("the prefix of a later family stays its own while the CiliumNode shows the first one only", async () => {
  const states = await afterLease(async (context, node) => {
    await showPrefixes(context, node, ["10.64.1.0/24"]);
  });
  expect(states).toEqual(["confirmed", "pending"]);
});

it("the prefixes of a node that nobody reports go back after their lease", async () => {
  expect(await afterLease((context, node) => ensure(context, node, { uid: "a" }))).toEqual([]);
});
