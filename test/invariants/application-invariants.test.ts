import { describe, expect, it } from "vitest";
import {
  applicationViolations,
  applicationViolationsAtRest,
  takenViolations,
} from "../../src/invariants/application-invariants.ts";
import { joinedContents } from "../../src/invariants/contents.ts";
import { blocksByName } from "../../src/kernel/values/blocks-by-name.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import { type Application, applicationHash } from "../../src/nouns/application/application.ts";
import {
  allocationWith,
  applicationWith,
  blockWith,
  intervals,
  listed,
  poolWith,
  taken,
  token,
} from "../builders.ts";

const WEB = applicationWith({});
const held: Slot = { kind: "held", token: token(1), applicationHash: applicationHash(WEB) };

const contentsWith = (slots: Readonly<Record<number, Slot>>, application: Application) => ({
  ...joinedContents([]),
  pools: [poolWith({ ranges: intervals("10.0.0.0-10.0.0.6") })],
  blocks: [blockWith(slots)],
  applications: [application],
});

const found = (slots: Readonly<Record<number, Slot>>, application: Application) =>
  applicationViolations(contentsWith(slots, application)).map(({ invariant }) => invariant);

const foundAtRest = (slots: Readonly<Record<number, Slot>>, application: Application) => {
  const contents = contentsWith(slots, application);
  return applicationViolationsAtRest(contents, blocksByName(contents.blocks)).map(
    ({ invariant }) => invariant,
  );
};

describe("a held slot", () => {
  it("is right if its application lists the address, in whatever state", () => {
    for (const state of ["named", "in", "leaving"] as const)
      expect(found({ 1: held }, { ...WEB, listed: [listed("10.0.0.1", state)] })).toEqual([]);
  });

  it("is a violation if its application does not list the address", () => {
    expect(found({ 1: held }, { ...WEB, listed: [listed("10.0.0.2")] })).toEqual(["I15"]);
  });

  it("is a violation if another application lists the address, or one of another space", () => {
    const all = [listed("10.0.0.1")];
    expect(found({ 1: held }, { ...WEB, name: "api", listed: all })).toEqual(["I15"]);
    expect(found({ 1: held }, { ...WEB, space: "other", listed: all })).toEqual(["I15"]);
  });
});

describe("an address that an instance took from its application", () => {
  const { namespace, kind, name } = WEB;
  const allocation = allocationWith({
    workload: {
      namespace,
      kind,
      name,
      instance: "web-1",
      uid: "a",
      earlierUids: [],
      incarnation: "i",
    },
    parts: [
      { token: token(1), block: blockWith({}).cidr, count: 1, ordinals: [1], ofApplication: true },
    ],
  });
  const foundWith = (application: Application) => {
    const contents = { ...contentsWith({ 1: taken(1) }, application), allocations: [allocation] };
    return takenViolations(contents, blocksByName(contents.blocks)).map(
      ({ invariant }) => invariant,
    );
  };

  it("is right as long as the application lists it", () => {
    expect(foundWith({ ...WEB, listed: [listed("10.0.0.1", "leaving")] })).toEqual([]);
  });

  it("is a violation if only another application lists it", () => {
    expect(foundWith({ ...WEB, listed: [listed("10.0.0.2")] })).toEqual(["I15"]);
    expect(foundWith({ ...WEB, name: "api", listed: [listed("10.0.0.1")] })).toEqual(["I15"]);
  });
});

describe("an address that is held", () => {
  const all = { ...WEB, listed: [listed("10.0.0.1"), listed("10.0.0.7")] };

  it("lies in the pool that its application names", () => {
    expect(found({ 7: held }, all)).toEqual(["I13"]);
  });

  it("is of no pool that serves others", () => {
    const contents = contentsWith({ 1: held }, all);
    const [pool] = contents.pools;
    const team = poolWith({ id: "team", name: "team", ranges: intervals("10.0.0.1") });
    const withTeam = (state: "active" | "pending") =>
      applicationViolations({
        ...contents,
        pools: [
          { ...pool, assignmentMode: "Applications" },
          { ...team, state },
        ] as never,
      }).map(({ invariant }) => invariant);
    expect(withTeam("pending")).toEqual([]);
    expect(withTeam("active")).toEqual(["I13"]);
  });
});

describe("at rest, an application", () => {
  const listedTo = (count: number) =>
    Array.from({ length: count }, (_, n) => listed(`10.0.0.${n + 1}`));

  it("has no more free addresses than its number", () => {
    const four = { ...WEB, listed: listedTo(4) };
    expect(foundAtRest({ 1: held, 2: held, 3: held }, { ...WEB, listed: listedTo(3) })).toEqual([]);
    expect(foundAtRest({ 1: held, 2: held, 3: held, 4: held }, four)).toEqual(["I15"]);
  });

  it("may have more that its instances use", () => {
    const slots = { 1: taken(1), 2: taken(2), 3: taken(3), 4: taken(4) };
    expect(foundAtRest(slots, { ...WEB, listed: listedTo(4) })).toEqual([]);
  });

  it("has no address that is named, or that could leave", () => {
    const three = listedTo(2);
    expect(foundAtRest({}, { ...WEB, listed: [...three, listed("10.0.0.5", "named")] })).toEqual([
      "tidy",
    ]);
    const leaving = { ...WEB, listed: [...three, listed("10.0.0.5", "leaving")] };
    expect(foundAtRest({ 5: held }, leaving)).toEqual(["tidy"]);
    expect(foundAtRest({ 5: taken() }, leaving)).toEqual([]);
  });

  it("is gone if it was deleted, and lists nothing", () => {
    expect(foundAtRest({}, { ...WEB, state: "deleting", listed: [] })).toEqual(["tidy"]);
  });
});
