import { expect, it } from "vitest";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { listPrefixes } from "../../../../src/nouns/prefix/operations/list-prefixes.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { say, stated } from "../../../node-events.ts";
import { ensure, free, putPrefixPools } from "../../../prefixes.ts";
import { contentsIn, makeWorld, SPACE, type World } from "../../../world.ts";

const [OWN, OTHER] = ["10.64.1.0/24", "10.64.2.0/24"];
const UID = "uid-1";

async function withPools(): Promise<World> {
  const world = await makeWorld();
  await putPrefixPools(world.calm);
  return world;
}

/** Returns a world in which the node has one prefix, and another node a second one. */
async function withNone(): Promise<World> {
  const world = await withPools();
  await ensure(world.calm, "node-2", { uid: "b", podCidrs: [OTHER] });
  await say(world.calm, stated(1, { podCidrs: [OWN] }));
  return world;
}

/** Returns the same world after the node stated the prefix of the other one, and then not any more. */
async function withOwn(): Promise<World> {
  const world = await withNone();
  await say(world.calm, stated(2, { podCidrs: [OWN, OTHER] }), stated(3, { podCidrs: [OWN] }));
  return world;
}

/** What the items of all nodes withhold. */
const withheld = (world: World) =>
  contentsIn(world).statedRanges.flatMap(({ cidrs }) => cidrs.map(formatCidr));

it("an event takes the prefix again that a release freed and the object still states, also while it cools", async () => {
  const { calm } = await withPools();
  const podCidrs = await ensure(calm, "node-1", { uid: UID });
  await say(calm, stated(1, { podCidrs }));
  const [freed = "", kept] = podCidrs;
  expect(await free(calm, "node-1", { uid: UID, cidr: freed })).toEqual([freed]);
  for (const version of [2, 3])
    expect(await say(calm, stated(version, { podCidrs }))).toMatchObject([
      { status: "applied", prefixes: podCidrs.map(() => ({})) },
    ]);
  const held = await listPrefixes(calm, { space: SPACE, node: "node-1", uid: UID });
  expect(held.map(({ cidr }) => formatCidr(cidr))).toEqual([freed, kept]);
});

it("an event that states what the node has ends what an earlier object stated beside it", async () => {
  const world = await withOwn();
  expect(withheld(world)).toEqual([]);
  await free(world.calm, "node-2", { uid: "b" });
  expect(await ensure(world.calm, "node-3", { podCidrs: [OTHER] })).toEqual([OTHER]);
});

const both = stated(4, { podCidrs: [OWN, OTHER] });
const own = stated(5, { podCidrs: [OWN] });

it.each([
  ["the later one in the middle of the earlier", withOwn, both, own],
  ["the earlier one in the middle of the later", withOwn, own, both],
  ["the earlier one in the middle of the later, the first that states more", withNone, own, both],
  ["the later one in the middle of the first that states more", withNone, both, own],
])(
  "of two events at once the later object decides what is withheld if the node has all that it states: %s",
  async (_, scene, one, other) => {
    await beforeEachCall(
      scene,
      (context) => say(context, one),
      (context) => say(context, other),
      (world, { where }) => expect(withheld(world), where).toEqual([]),
    );
  },
);
