import { describe, expect, it } from "vitest";
import { lowestFreePlace } from "../../../src/kernel/values/affinity.ts";
import { affinityWith, network } from "../../builders.ts";

const row4 = (place: number) => affinityWith({ place });
const row6 = (place: number) =>
  affinityWith({ place, family: 6, block: network("2001:db8::/122") });

describe("the place a host's next block gets", () => {
  it.each([
    { description: "the first, if it has none", affinities: [], family: 4, place: 0 },
    { description: "the one behind the last", affinities: [row4(0), row4(1)], family: 4, place: 2 },
    { description: "a gap", affinities: [row4(2), row4(0)], family: 4, place: 1 },
    {
      description: "the first, if that is the gap",
      affinities: [row6(1), row6(2)],
      family: 6,
      place: 0,
    },
    {
      description: "its family's own",
      affinities: [row4(0), row4(1), row6(0)],
      family: 6,
      place: 1,
    },
    {
      description: "its family's own",
      affinities: [row6(0), row6(1), row4(0)],
      family: 4,
      place: 1,
    },
  ] as const)("is $description (IPv$family: $place)", ({ affinities, family, place }) => {
    expect(lowestFreePlace(affinities, family)).toBe(place);
  });

  it.each(["pending", "pendingDeletion"] as const)("is not one whose affinity is %s", (state) => {
    expect(lowestFreePlace([affinityWith({ state })], 4)).toBe(1);
  });
});
