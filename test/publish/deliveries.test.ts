import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../src/kernel/assign/assignment.ts";
import { blockFrom } from "../../src/kernel/items/block.ts";
import { addressDetailOf } from "../../src/publish/address-detail.ts";
import { eventBody } from "../../src/publish/domain-event.ts";
import type { Detail } from "../../src/publish/draft.ts";
import type { ItemChange } from "../../src/table/change-log.ts";
import { actingAs } from "../acting.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { poolOf, releaseAll, reportAll, requestOf } from "../world.ts";
import { type Streamed, streamed } from "./streamed.ts";

/*
 * The stream delivers the changes of an item in order, in batches of a shard, at least once. Whatever the requests, the
 * shards and the batches were, consumers that take each id once and order the events of an address by their sequence
 * numbers know who has which address.
 */

type Act = "assign" | "assign with a key" | "release" | "conflict" | "wait";

const acts = fc.array(
  fc.constantFrom<Act>(
    "assign",
    "assign with a key",
    "assign",
    "release",
    "release",
    "conflict",
    "wait",
  ),
  { minLength: 1, maxLength: 25 },
);

async function happened(acts: readonly Act[]): Promise<Streamed> {
  const world = await streamed(poolOf("10.0.0.0/29", 31), { cooldownSeconds: 1 });
  const { plat, clock } = world;
  const held: Assignment[] = [];
  for (const [index, act] of acts.entries())
    await actingAs({ principal: "alice", requestId: `r${index}` }, async () => {
      const count = (index % 3) + 1;
      if (act === "wait") {
        clock.nowMs += 100_000;
        await reclaimAll(plat);
        await repairAll(plat);
      } else if (act === "release") await releaseAll(plat, held.shift());
      else if (act === "conflict") await reportAll(plat, held.shift());
      else {
        const key = act === "assign" ? undefined : `key-${index}`;
        const told = await assign(plat, requestOf(`vm-${index}`, count, key));
        if (!(told instanceof Rejection)) held.push(told);
      }
      clock.nowMs += 500;
    });
  return world;
}

/** Delivers the changes of each shard in order, in batches that repeat and overlap as a stream's may. */
async function delivered(
  { publish }: Streamed,
  shards: readonly (readonly ItemChange[])[],
  sizes: readonly number[],
): Promise<void> {
  const at = shards.map(() => 0);
  for (let turn = 0; at.some((place, n) => place < (shards[n]?.length ?? 0)); turn++) {
    if (turn > 1_000) throw new Error("the changes are never published");
    const n = turn % shards.length;
    const batch = (shards[n] ?? []).slice(at[n], (at[n] ?? 0) + (sizes[turn % sizes.length] ?? 1));
    if (batch.length === 0) continue;
    const { failed } = await publish(batch);
    // Now and then the answer is lost, and the same batch comes again.
    if (turn % 5 === 4) continue;
    const done = failed ? batch.findIndex(({ sequence }) => sequence === failed) : batch.length;
    at[n] = (at[n] ?? 0) + done;
  }
}

const shardsOf = (changes: readonly ItemChange[], count: number) =>
  Array.from({ length: count }, (_, n) =>
    changes.filter(
      ({ key }) => [...key.pk].reduce((sum, c) => sum + c.charCodeAt(0), 0) % count === n,
    ),
  );

/** Returns the assigned addresses with the handles that events tell. */
function knownTo(events: readonly Detail[]): Record<string, unknown> {
  const once = [...new Map(events.map((event) => [event.id, event])).values()];
  const inOrder = once.sort((a, b) => (String(a.sequence) < String(b.sequence) ? -1 : 1));
  const known: Record<string, unknown> = {};
  for (const { type, address, handle } of inOrder) {
    if (type === "AddressAssigned") {
      expect(known, `${address} is assigned to ${handle} while it is`).not.toHaveProperty([
        String(address),
      ]);
      known[String(address)] = handle;
    }
    if (type === "AddressReleased") {
      expect(known[String(address)]).toBe(handle);
      delete known[String(address)];
    }
  }
  return known;
}

function assignedIn({ table }: Streamed): string[] {
  return table
    .items()
    .filter(({ pk }) => pk.startsWith("BLOCK#"))
    .map(blockFrom)
    .flatMap((block) =>
      [...block.slots].flatMap(([ordinal, { kind }]) =>
        kind === "taken" ? [addressDetailOf(block, ordinal).address] : [],
      ),
    );
}

describe("a consumer of the events", () => {
  it("knows who has which address, whatever the shards and the batches were", async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        async (acts, shards, sizes) => {
          const world = await happened(acts);
          await delivered(world, shardsOf(await world.taken(), shards), sizes);
          const events = world.bus.map(eventBody);
          const known = knownTo(events);
          expect(Object.keys(known).sort()).toEqual(assignedIn(world).sort());
          expect(Object.values(known)).not.toContain(undefined);
        },
      ),
    );
  });
});
