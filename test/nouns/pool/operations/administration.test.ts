import { describe, expect, it } from "vitest";
import {
  CLOCK_SKEW_MS_MAX,
  NAME_CHARACTERS_MAX,
  REQUEST_MS_MAX,
} from "../../../../src/base/limits.ts";
import { Rejection } from "../../../../src/base/outcome.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { withCalls } from "../../../../src/kernel/core/store.ts";
import { type AddressPlanEntry, planBytes } from "../../../../src/nouns/pool/address-plan.ts";
import { putPool } from "../../../../src/nouns/pool/operations/administration.ts";
import { PLAN_BYTES_MAX } from "../../../../src/nouns/pool/operations/create-pool.ts";
import type { Pool } from "../../../../src/nouns/pool/pool.ts";
import { putNode } from "../../../../src/nouns/registry/operations/nodes.ts";
import { poolWith, token } from "../../../builders.ts";
import { contentsIn, makeWorld, poolOf, SPACE, type World } from "../../../world.ts";

const longName = (n: number) => String(n).padStart(NAME_CHARACTERS_MAX, "p");

/** Creates pools with the longest names until the address plan of the space is full. */
async function fillPlan({ calm }: World): Promise<void> {
  const { store } = calm;
  const plan = await store.readPlan(SPACE);
  const entries: AddressPlanEntry[] = [...plan.entries];
  for (let n = 0; ; n++) {
    const { cidr, blockSize } = poolOf(`10.${64 + (n >> 8)}.${n & 255}.0/24`, 26);
    const pool: Pool = poolWith({ name: longName(n), id: token(n), cidr, blockSize });
    const entry = { pool: pool.name, id: pool.id, cidr, blockSize };
    if (planBytes([...entries, entry]) > PLAN_BYTES_MAX) break;
    entries.push(entry);
    await store.putPool(pool, undefined);
  }
  await store.changePlan(plan, entries, "filled");
}

describe("the address plan of a space", () => {
  it("that has no room for a pool is told before it is written, with what takes the room and what helps", async () => {
    const world = await makeWorld();
    await fillPlan(world);
    const before = await world.calm.store.readPlan(SPACE);
    const put = (name: string) =>
      putPool(world.calm, SPACE, name, poolOf("10.0.8.0/24", 26), undefined);

    const rejected = await put(longName(2_000));
    expect(rejected).toBeInstanceOf(Rejection);
    expect(rejected).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "name" }] },
    });
    expect((rejected as Rejection).detail).toMatch(
      /would make the address plan of space default too large: 1106 pools take 380\d{3} bytes, 279\d{3} of them for their names; the maximum is 380000; use shorter pool names/,
    );
    expect(await world.calm.store.readPlan(SPACE)).toEqual(before);
    expect(contentsIn(world).pools.map(({ name }) => name)).not.toContain(longName(2_000));

    expect(await put("short")).toMatchObject({ created: true, value: { state: "active" } });
  });
});

it("a PUT that changes nothing promises no earlier time than the change itself, whose write landed late", async () => {
  const { calm, clock } = await makeWorld();
  const { store } = calm;
  const late: Context = {
    ...calm,
    store: withCalls(store, {
      createNode: (node) => {
        clock.nowMs += REQUEST_MS_MAX;
        return store.createNode(node);
      },
    }),
  };
  const first = await putNode(late, SPACE, "n1", { labels: { zone: "a" } }, undefined);
  const again = await putNode(calm, SPACE, "n1", { labels: { zone: "a" } }, undefined);
  if (first instanceof Rejection || again instanceof Rejection) return expect.unreachable();
  expect(again.effectiveAtMs).toBeGreaterThanOrEqual(first.effectiveAtMs);
  clock.nowMs += 60_000;
  const later = await putNode(calm, SPACE, "n1", { labels: { zone: "a" } }, undefined);
  expect(later).toMatchObject({ effectiveAtMs: first.effectiveAtMs + CLOCK_SKEW_MS_MAX });
});
