import { expect, it } from "vitest";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { listPrefixes } from "../../../../src/nouns/prefix/operations/list-prefixes.ts";
import { say, stated } from "../../../node-events.ts";
import { ensure, free, putPrefixPools, tryEnsure } from "../../../prefixes.ts";
import { contentsIn, makeWorld, SPACE, type World } from "../../../world.ts";

const [PREFIX, OUTSIDE] = ["10.64.1.0/24", "fd00:99::/64"];
const UID = "uid-1";

/** Returns a world in which the node has a prefix that is withheld for it too. */
const SCENES: readonly (readonly [string, () => Promise<World>])[] = [
  [
    "beside a network that rejected its event",
    async () => {
      const world = await makeWorld();
      await putPrefixPools(world.calm);
      await say(
        world.calm,
        stated(1, { podCidrs: [PREFIX] }),
        stated(2, { podCidrs: [PREFIX, OUTSIDE] }),
      );
      return world;
    },
  ],
  [
    "by a request that came before another node lost it",
    async () => {
      const world = await makeWorld();
      await putPrefixPools(world.calm);
      await ensure(world.calm, "node-2", { uid: "b", podCidrs: [PREFIX] });
      await tryEnsure(world.calm, "node-1", { uid: UID, podCidrs: [PREFIX] });
      await free(world.calm, "node-2", { uid: "b" });
      await say(world.calm, stated(1, { podCidrs: [PREFIX] }));
      return world;
    },
  ],
];

/** The prefixes of the node, and what is withheld. */
const left = async (world: World) => [
  await listPrefixes(world.calm, { space: SPACE, node: "node-1", uid: UID }),
  contentsIn(world).statedRanges.flatMap(({ cidrs }) => cidrs.map(formatCidr)),
];

it.each(SCENES)("a prefix that its node also states is released at once: %s", async (_, scene) => {
  for (const only of [{ cidr: PREFIX }, {}]) {
    const world = await scene();
    expect(await left(world)).toMatchObject([[{ uid: UID }], [PREFIX]]);
    expect(await free(world.calm, "node-1", { uid: UID, ...only })).toEqual([PREFIX]);
    expect(await left(world)).toEqual([[], []]);
    expect(await free(world.calm, "node-1", { uid: UID, ...only })).toEqual([]);
  }
});

it("a prefix of another node that a node states is withheld no more, and stays with its owner", async () => {
  const { calm } = await makeWorld();
  await putPrefixPools(calm);
  await ensure(calm, "node-2", { uid: "b", podCidrs: [PREFIX] });
  await tryEnsure(calm, "node-1", { podCidrs: [PREFIX] });
  expect(await free(calm, "node-1", { cidr: PREFIX })).toEqual([PREFIX]);
  await expect(free(calm, "node-1", { cidr: PREFIX })).rejects.toThrow("generation_conflict");
});
