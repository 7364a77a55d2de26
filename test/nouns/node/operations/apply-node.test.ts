import { describe, expect, it } from "vitest";
import { uidOfNode } from "../../../../src/nouns/node/node.ts";
import type { ClusterEvent } from "../../../../src/nouns/node/node-health.ts";
import { applyEvents } from "../../../../src/nouns/node/operations/apply-events.ts";
import { completeNodes } from "../../../../src/nouns/node/operations/complete-nodes.ts";
import { listNodes } from "../../../../src/nouns/registry/operations/nodes.ts";
import type { Table } from "../../../../src/table/table.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { deleted, NODE, say, stated } from "../../../node-events.ts";
import { callsOf, MISHAPS, withMishap } from "../../../simulation/crash-points.ts";
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

async function worldAfter(events: readonly ClusterEvent[]): Promise<World> {
  const world = await makeWorld();
  await say(world.calm, ...events);
  return world;
}

/** What all events come to, each applied by itself. */
const expected = async (events: readonly ClusterEvent[]) => known(await worldAfter(events));

/** The complete list of a cluster that lacks the node, and a world in which the cluster reported the node. */
const SCOPE = { space: SPACE, cluster: "c" };
const listAt = (version: number) => ({
  ...{ ...SCOPE, resourceVersion: `${version}` },
  nodes: [{ name: "n", uid: "u", podCidrs: [] }],
});
async function reported(): Promise<World> {
  const world = await makeWorld();
  await applyEvents(world.calm, SCOPE, [stated(4)]);
  return world;
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
      for (const before of [[], [stated(4)], [stated(4), deleted(4)]])
        await beforeEachCall(
          () => worldAfter(before),
          (context) => say(context, one),
          (context) => say(context, other),
          async (world, { where }) =>
            expect(await known(world), where).toEqual(await expected([...before, one, other])),
          { number, step: 3 },
        );
    },
  );

  it("a stale one that comes again takes nothing from a node that comes back in the middle of it", async () => {
    const before = [stated(4), deleted(6)];
    await beforeEachCall(
      () => worldAfter(before),
      (context) => say(context, stated(5)),
      (context) => say(context, stated(9)),
      async (world, { where }) =>
        expect(await known(world), where).toEqual(await expected([...before, stated(9)])),
    );
  });

  it("the later end counts", async () => {
    await beforeEachCall(
      makeWorld,
      (context) => say(context, deleted(8)),
      (context) => say(context, deleted(10)),
      async (world, { where }) => {
        await say(world.calm, stated(9));
        const { report, tombstones } = await world.calm.store.readNodeLife(SPACE, NODE);
        expect(report, where).toBeUndefined();
        expect(tombstones).toMatchObject([{ resourceVersion: "10" }]);
      },
    );
  });

  it("the end of its machine is final, whatever other end comes in the middle of it", async () => {
    const prepare = async () => {
      const world = await worldAfter([stated(4), stated(12, { ...later, machine: "i-2" })]);
      await world.calm.store.putMachine({ id: "i-1", space: SPACE, name: NODE, uid: "uid-1" });
      return world;
    };
    await beforeEachCall(
      prepare,
      (context) => say(context, deleted(8)),
      (context) => say(context, { act: "terminate", name: "i-1" }),
      async ({ calm }, { where }) => {
        const { tombstones } = await calm.store.readNodeLife(SPACE, NODE);
        expect(tombstones, where).toMatchObject([{ by: "machine" }]);
      },
    );
  });

  it("a list that lacks it notes nothing over a word that comes in the middle of it", async () => {
    await beforeEachCall(
      reported,
      (context) => completeNodes(context, listAt(7)),
      (context) => say(context, stated(9)),
      async ({ calm }, { where }) => {
        const { report } = await calm.store.readNodeLife(SPACE, NODE);
        expect(report, where).toMatchObject({ resourceVersion: "9" });
        expect(report, where).not.toHaveProperty("missing");
      },
    );
  });

  it("a list that ends it says so only if no word came before the end", async () => {
    const missing = async () => {
      const world = await reported();
      await completeNodes(world.calm, listAt(5));
      world.clock.nowMs += 41_000;
      return world;
    };
    const told = new Set<string>();
    await beforeEachCall(
      missing,
      (context) => completeNodes(context, listAt(7)),
      async (context) => {
        const { tombstones } = await context.store.readNodeLife(SPACE, NODE);
        await say(context, stated(9));
        return tombstones.length > 0;
      },
      (_, { ours, theirs: hadEnded, where }) => {
        if (!("ended" in ours)) throw ours;
        if (!hadEnded) expect(ours.ended, where).toEqual([]);
        told.add(ours.ended.join());
      },
    );
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

it("a node whose machine is known only from a later event ends with it", async () => {
  const { machine: _, ...unknown } = (stated(4) as Extract<ClusterEvent, { act: "state" }>)
    .statement;
  const { calm } = await worldAfter([{ act: "state", name: NODE, statement: unknown }, stated(5)]);
  expect(await say(calm, { act: "terminate", name: "i-1" })).toEqual([{ status: "applied" }]);
  expect(await calm.store.readNode(SPACE, NODE)).toBeUndefined();
});
