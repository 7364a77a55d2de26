import { describe, expect, it } from "vitest";
import { uidOfNode } from "../../../../src/nouns/node/node.ts";
import type { ClusterEvent } from "../../../../src/nouns/node/node-health.ts";
import { applyEvents } from "../../../../src/nouns/node/operations/apply-events.ts";
import { completeNodes } from "../../../../src/nouns/node/operations/complete-nodes.ts";
import { listNodes } from "../../../../src/nouns/registry/operations/nodes.ts";
import type { Table } from "../../../../src/table/table.ts";
import { deleted, NODE, say, stated } from "../../../node-events.ts";
import { callsOf, MISHAPS, withIntruder, withMishap } from "../../../simulation/crash-points.ts";
import { callsToTry, oneIn } from "../../../simulation/sampled-calls.ts";
import { contextOver, makeWorld, SPACE, type World } from "../../../world.ts";

const later = { uid: "uid-2", createdAtMs: 2_000 };

const EVENTS: readonly (readonly [string, ClusterEvent])[] = [
  ["a statement", stated(5)],
  ["one with other labels", stated(6, { labels: { zone: "b" } })],
  ["one with the first labels again", stated(7)],
  ["its end", deleted(8)],
  ["its return", stated(9, { labels: { zone: "c" } })],
  ["a later end", deleted(10)],
  ["another object of the name", stated(12, { ...later, labels: { zone: "d" } })],
];

/** What the register and the reports say of the node. */
async function known({ calm }: World) {
  const { store } = calm;
  const [node, life, { items }] = [
    await store.readNode(SPACE, NODE),
    await store.readNodeLife(SPACE, NODE),
    await listNodes(calm, { space: SPACE, after: undefined, limit: 9 }),
  ];
  const { report, tombstones } = life;
  return {
    node: node && { uid: uidOfNode(node), labels: node.labels },
    report: report && {
      uid: report.uid,
      version: report.resourceVersion,
      isRegistering: report.isRegistering,
    },
    gone: tombstones.map(({ uid }) => uid),
    isListed: items.length > 0,
  };
}

/** What all events come to, each applied by itself. */
async function expected(events: readonly ClusterEvent[]) {
  const world = await makeWorld();
  await say(world.calm, ...events);
  return known(world);
}

const pairs = EVENTS.flatMap(([one, first]) =>
  EVENTS.filter(([other]) => other !== one).map(
    ([other, second]) => [one, other, first, second] as const,
  ),
).map((pair, number) => [...pair, number] as const);

describe("of two events of a node at once", () => {
  it.each(pairs)(
    "the later word counts: %s, and in the middle of it %s",
    async (_, __, one, other, number) => {
      for (const before of [[], [stated(4)], [stated(4), deleted(4)]]) {
        const start = await makeWorld();
        await say(start.calm, ...before);
        const calls = await callsOf(start.table, (own) =>
          say(contextOver(own, start.clock, 2), one),
        );
        for (const at of callsToTry(calls, number, oneIn(3))) {
          const world = await makeWorld();
          await say(world.calm, ...before);
          const own = withIntruder(world.table, at, async () => {
            await say(contextOver(world.table, world.clock, 3), other);
          });
          await say(contextOver(own, world.clock, 2), one);
          expect(await known(world), `${calls[at]} (call ${at})`).toEqual(
            await expected([...before, one, other]),
          );
        }
      }
    },
  );

  it("a stale one that comes again takes nothing from a node that comes back in the middle of it", async () => {
    const before = [stated(4), deleted(6)];
    const start = await makeWorld();
    await say(start.calm, ...before);
    const calls = await callsOf(start.table, (own) =>
      say(contextOver(own, start.clock, 2), stated(5)),
    );
    for (const at of callsToTry(calls, 0, oneIn(3))) {
      const world = await makeWorld();
      await say(world.calm, ...before);
      const own = withIntruder(world.table, at, async () => {
        await say(contextOver(world.table, world.clock, 3), stated(9));
      });
      await say(contextOver(own, world.clock, 2), stated(5));
      const where = `${calls[at]} (call ${at})`;
      expect(await known(world), where).toEqual(await expected([...before, stated(9)]));
    }
  });

  it("the later end counts", async () => {
    const start = await makeWorld();
    const calls = await callsOf(start.table, (own) =>
      say(contextOver(own, start.clock, 2), deleted(8)),
    );
    for (const at of callsToTry(calls, 0, oneIn(3))) {
      const world = await makeWorld();
      const own = withIntruder(world.table, at, async () => {
        await say(contextOver(world.table, world.clock, 3), deleted(10));
      });
      await say(contextOver(own, world.clock, 2), deleted(8));
      await say(world.calm, stated(9));
      const { report, tombstones } = await world.calm.store.readNodeLife(SPACE, NODE);
      expect(report, `${calls[at]} (call ${at})`).toBeUndefined();
      expect(tombstones).toMatchObject([{ resourceVersion: "10" }]);
    }
  });

  it("the end of its machine is final, whatever other end comes in the middle of it", async () => {
    const terminated = { act: "terminate", name: "i-1" } as const;
    const before = [stated(4), stated(12, { ...later, machine: "i-2" })];
    const start = await makeWorld();
    await say(start.calm, ...before);
    const calls = await callsOf(start.table, (own) =>
      say(contextOver(own, start.clock, 2), deleted(8)),
    );
    for (const at of callsToTry(calls, 0, oneIn(3))) {
      const world = await makeWorld();
      await say(world.calm, ...before);
      await world.calm.store.putMachine({ id: "i-1", space: SPACE, name: NODE, uid: "uid-1" });
      const own = withIntruder(world.table, at, async () => {
        await say(contextOver(world.table, world.clock, 3), terminated);
      });
      await say(contextOver(own, world.clock, 2), deleted(8));
      const { tombstones } = await world.calm.store.readNodeLife(SPACE, NODE);
      expect(tombstones, `${calls[at]} (call ${at})`).toMatchObject([{ by: "machine" }]);
    }
  });

  it("a list that lacks it notes nothing over a word that comes in the middle of it", async () => {
    const scope = { space: SPACE, cluster: "c" };
    const list = { ...scope, resourceVersion: "7", nodes: [{ name: "n", uid: "u", podCidrs: [] }] };
    const start = await makeWorld();
    await applyEvents(start.calm, scope, [stated(4)]);
    const calls = await callsOf(start.table, (own) =>
      completeNodes(contextOver(own, start.clock, 2), list),
    );
    for (const at of callsToTry(calls, 0, oneIn(1))) {
      const world = await makeWorld();
      await applyEvents(world.calm, scope, [stated(4)]);
      const own = withIntruder(world.table, at, async () => {
        await say(contextOver(world.table, world.clock, 3), stated(9));
      });
      await completeNodes(contextOver(own, world.clock, 2), list);
      const { report } = await world.calm.store.readNodeLife(SPACE, NODE);
      const where = `${calls[at]} (call ${at})`;
      expect(report, where).toMatchObject({ resourceVersion: "9" });
      expect(report, where).not.toHaveProperty("missing");
    }
  });

  it("a list that ends it says so only if no word came before the end", async () => {
    const scope = { space: SPACE, cluster: "c" };
    const nodes = [{ name: "n", uid: "u", podCidrs: [] }];
    const listAt = (version: number) => ({ ...scope, resourceVersion: `${version}`, nodes });
    const missing = async () => {
      const world = await makeWorld();
      await applyEvents(world.calm, scope, [stated(4)]);
      await completeNodes(world.calm, listAt(5));
      world.clock.nowMs += 41_000;
      return world;
    };
    const start = await missing();
    const calls = await callsOf(start.table, (own) =>
      completeNodes(contextOver(own, start.clock, 2), listAt(7)),
    );
    const told = new Set<string>();
    for (const at of callsToTry(calls, 0, oneIn(1))) {
      const world = await missing();
      let hadEnded = false;
      const own = withIntruder(world.table, at, async () => {
        const { tombstones } = await world.calm.store.readNodeLife(SPACE, NODE);
        hadEnded = tombstones.length > 0;
        await say(contextOver(world.table, world.clock, 3), stated(9));
      });
      const done = await completeNodes(contextOver(own, world.clock, 2), listAt(7));
      if (!("ended" in done)) throw done;
      if (!hadEnded) expect(done.ended, `${calls[at]} (call ${at})`).toEqual([]);
      told.add(done.ended.join());
    }
    expect([...told].sort()).toEqual(["", NODE]);
  });

  it.each(MISHAPS)("and of one that is sent again, both count when %s", async (mishap) => {
    let pair = MISHAPS.indexOf(mishap);
    for (const [name, one] of EVENTS)
      for (const [next, other] of EVENTS) {
        pair++;
        const start = await makeWorld();
        await say(start.calm, stated(4));
        const walk = (own: Table, { clock }: World) => say(contextOver(own, clock, 2), one);
        const calls = await callsOf(start.table, (own) => walk(own, start));
        for (const at of callsToTry(calls, pair, oneIn(5))) {
          const world = await makeWorld();
          await say(world.calm, stated(4));
          const { landLate } = await withMishap(world.table, at, mishap, (own) => walk(own, world));
          await say(contextOver(world.table, world.clock, 4), other, one);
          await landLate();
          await say(contextOver(world.table, world.clock, 5), one);
          const where = `${name}, ${next}: ${calls[at]} (call ${at})`;
          expect(await known(world), where).toEqual(await expected([stated(4), one, other]));
        }
      }
  });
});
