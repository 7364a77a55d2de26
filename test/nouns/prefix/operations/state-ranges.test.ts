import { describe, expect, it } from "vitest";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { readSpaceContents } from "../../../../src/nouns/space/operations/read-space-contents.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { deleted, say, stated } from "../../../node-events.ts";
import { ensure, free, putPrefixPools, tryEnsure } from "../../../prefixes.ts";
import { repairAll } from "../../../scheduled-runs.ts";
import { callsOf, withIntruder } from "../../../simulation/crash-points.ts";
import { contentsIn, contextOver, makeWorld, SPACE, type World } from "../../../world.ts";

const HALF = "10.64.1.128/25";
const DOUBLE = "10.64.2.0/23";
const PREFIX = "10.64.3.0/24";

async function withPools(): Promise<World> {
  const world = await makeWorld();
  await putPrefixPools(world.calm);
  return world;
}

/** What the items of all nodes withhold. */
const withheld = (world: World) =>
  contentsIn(world).statedRanges.flatMap(({ cidrs }) => cidrs.map(formatCidr));

const events = [
  ["a half", stated(5, { podCidrs: [HALF] })],
  ["two of them", stated(6, { podCidrs: [DOUBLE] })],
  ["a prefix", stated(7, { podCidrs: [PREFIX] })],
  ["a half again", stated(8, { podCidrs: [HALF] })],
] as const;
const pairs = events.flatMap(([one, first], n) =>
  events
    .filter(([other]) => other !== one)
    .map(([other, second], m) => [one, other, first, second, 3 * n + m] as const),
);

describe("of two events of a node at once", () => {
  it.each(pairs)(
    "what the later object states is withheld: %s, and in the middle of it %s",
    async (_, __, one, other, number) => {
      const later = [one, other].toSorted((a, b) => versionOf(a) - versionOf(b)).at(-1);
      const wanted = statedIn(later).filter((text) => text !== PREFIX);
      for (const before of [[], [stated(4, { podCidrs: ["10.64.0.0/25"] })]])
        await beforeEachCall(
          async () => {
            const world = await withPools();
            await say(world.calm, ...before);
            return world;
          },
          (context) => say(context, one),
          (context) => say(context, other),
          (world, { where }) => expect(withheld(world), where).toEqual(wanted),
          { number, step: 2 },
        );
    },
  );
});

type Event = (typeof events)[number][1];
const versionOf = (event: Event): number =>
  event.act === "state" ? Number(event.statement.resourceVersion) : 0;
const statedIn = (event: Event | undefined): readonly string[] =>
  event?.act === "state" ? event.statement.podCidrs : [];

describe("a request that states a network of another size", () => {
  it("is overtaken by another one of its node, and no word of both is lost", async () => {
    await beforeEachCall(
      withPools,
      (context) => tryEnsure(context, "node-1", { podCidrs: [HALF] }),
      (context) => tryEnsure(context, "node-1", { podCidrs: [DOUBLE] }),
      (world, { where }) => expect([[HALF], [DOUBLE]], where).toContainEqual(withheld(world)),
    );
  });

  it("keeps what it states from a release that began before it", async () => {
    const stating = async () => {
      const world = await withPools();
      await tryEnsure(world.calm, "node-1", { podCidrs: [HALF] });
      return world;
    };
    const start = await stating();
    const calls = await callsOf(start.table, (own) =>
      free(contextOver(own, start.clock, 2), "node-1"),
    );
    const at = calls.indexOf("unstate");
    expect(at).toBeGreaterThan(0);
    const world = await stating();
    const own = withIntruder(world.table, at, async () => {
      await tryEnsure(contextOver(world.table, world.clock, 3), "node-1", { podCidrs: [DOUBLE] });
    });
    expect(await free(contextOver(own, world.clock, 2), "node-1")).toEqual([DOUBLE]);
  });
});

it("RangeAllocator withholds no prefix that only the cloud provider has for the node", async () => {
  const world = await withPools();
  await tryEnsure(world.calm, "node-1", { aliases: [PREFIX] });
  expect(withheld(world)).toEqual([]);
  await tryEnsure(world.calm, "node-1", { podCidrs: [HALF], aliases: [PREFIX] });
  expect(withheld(world)).toEqual([HALF]);
});

it("CloudAllocator withholds a network of the cloud provider that is no prefix of a pool", async () => {
  const world = await withPools();
  await tryEnsure(world.calm, "node-1", { allocator: "CloudAllocator", aliases: [HALF] });
  expect(withheld(world)).toEqual([HALF]);
});

it("a node that states something keeps its space from being deleted, also if it is not registered", async () => {
  const { calm } = await makeWorld();
  await putPrefixPools(calm);
  await tryEnsure(calm, "node-1", { podCidrs: [HALF] });
  expect((await readSpaceContents(calm, SPACE)).use.nodes).toEqual(["node-1"]);
  await free(calm, "node-1");
  expect((await readSpaceContents(calm, SPACE)).use.nodes).toEqual([]);
});

it("a node that has ended withholds nothing, and one that came late neither", async () => {
  const world = await makeWorld();
  await putPrefixPools(world.calm);
  await say(world.calm, stated(5, { podCidrs: [HALF] }), deleted(6));
  const [late] = contentsIn(world).statedRanges;
  world.clock.nowMs += 60_000;
  await repairAll(world.calm);
  expect(withheld(world)).toEqual([]);
  expect(contentsIn(world).tombstones).toMatchObject([{ state: "freed" }]);
  if (late) await world.calm.store.createStated(late);
  expect(withheld(world)).toEqual([HALF]);
  for (let runs = 0; runs < 2; runs++) await repairAll(world.calm);
  expect(withheld(world)).toEqual([]);
  expect(await ensure(world.calm, "node-2", { uid: "b" })).toHaveLength(2);
});
