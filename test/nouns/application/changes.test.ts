import { describe, expect, it } from "vitest";
import {
  countsOf,
  each,
  isComplete,
  isGone,
  joinedOrdinals,
  listedAt,
  lostOrdinals,
  restated,
  unfinishedOf,
  withoutOrdinals,
} from "../../../src/nouns/application/changes.ts";
import { address, applicationWith, listed } from "../../builders.ts";

const IPV4 = { interface: "", family: 4, poolIds: ["id"] } as const;
const IPV6 = { interface: "", family: 6, poolIds: ["id6"] } as const;

describe("what an application lacks", () => {
  it("is counted in each interface and family", () => {
    const application = applicationWith({
      targets: [IPV4, IPV6],
      listed: [listed("10.0.0.1"), listed("10.0.0.2", "named"), listed("2001:db8::1")],
    });
    expect(countsOf(application)).toEqual([
      { target: IPV4, has: 2, short: 1, surplus: 0 },
      { target: IPV6, has: 1, short: 2, surplus: 0 },
    ]);
  });

  it("does not count what leaves", () => {
    const application = applicationWith({
      replicas: 0,
      listed: [listed("10.0.0.1", "leaving"), listed("10.0.0.2")],
    });
    expect(countsOf(application)).toEqual([{ target: IPV4, has: 1, short: 0, surplus: 0 }]);
    expect(isComplete(application)).toBe(false);
  });

  it("is less than nothing in a family that it wants no longer", () => {
    const application = applicationWith({ targets: [], listed: [listed("10.0.0.1")] });
    expect(countsOf(application)).toEqual([
      { target: { ...IPV4, poolIds: [] }, has: 1, short: 0, surplus: 1 },
    ]);
  });

  it("is nothing, and never too much, once it is deleted and keeps its addresses", () => {
    const application = applicationWith({
      state: "retained",
      replicas: 0,
      listed: [listed("10.0.0.1"), listed("10.0.0.2")],
    });
    expect(countsOf(application)).toEqual([]);
    expect(isComplete(application)).toBe(true);
  });
});

describe("an application is complete", () => {
  it("if it has its number, and nothing is under way", () => {
    const three = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((text) => listed(text));
    expect(isComplete(applicationWith({ listed: three }))).toBe(true);
    expect(isComplete(applicationWith({ listed: three.slice(1) }))).toBe(false);
    expect(isComplete(applicationWith({ listed: [...three, listed("10.0.0.4")] }))).toBe(false);
    expect(isComplete(applicationWith({ listed: [...three, listed("10.0.0.4", "leaving")] }))).toBe(
      false,
    );
  });

  it("only after the allocations of lost ordinals are ended", () => {
    const { addresses: _, ...without } = applicationWith({
      kind: "StatefulSet",
      ordinals: [{ first: 0, end: 5 }],
      targets: [],
    });
    expect(isComplete(without)).toBe(false);
    expect(lostOrdinals(without)).toEqual([{ first: 2, end: 5 }]);
    expect(isComplete({ ...without, ordinals: [{ first: 0, end: 2 }] })).toBe(true);
  });
});

describe("an application that is not complete", () => {
  const unfinished = { listed: [listed("10.0.0.1", "named"), listed("10.0.0.2", "leaving")] };

  it("says what is left to do, and that the same PUT goes on", () => {
    expect(unfinishedOf(applicationWith(unfinished))?.detail).toBe(
      "The application is not complete: 2 addresses to add, 1 address about to be held, 1 address to free once unused. The same PUT goes on.",
    );
  });

  it("does not ask for a PUT while it is being deleted, which would register it again", () => {
    const deleted = { ...unfinished, state: "deleting", replicas: 0, targets: [] } as const;
    expect(unfinishedOf(applicationWith(deleted))?.detail).not.toContain("PUT");
  });
});

describe("a deleted application", () => {
  it("is gone when it lists nothing, and no ordinal is left", () => {
    const deleting = applicationWith({ state: "deleting", replicas: 0 });
    expect(isGone(deleting)).toBe(true);
    expect(isGone({ ...deleting, listed: [listed("10.0.0.1", "leaving")] })).toBe(false);
    expect(isGone({ ...deleting, ordinals: [{ first: 0, end: 1 }] })).toBe(false);
    expect(isGone({ ...deleting, state: "retained" })).toBe(false);
  });
});

describe("a change of states", () => {
  const application = applicationWith({
    listed: [listed("10.0.0.1", "named"), listed("10.0.0.2"), listed("10.0.0.3", "leaving")],
  });

  it("leaves other addresses as they are", () => {
    const next = restated(application, each(application.listed.slice(0, 1), "in"), "next");
    expect(next.listed.map(({ state }) => state)).toEqual(["in", "in", "leaving"]);
    expect(next.revision).toBe("next");
  });

  it("unlists an address", () => {
    const next = restated(application, each(application.listed.slice(2), null), "next");
    expect(listedAt(next, address("10.0.0.3"))).toBeUndefined();
    expect(listedAt(next, address("10.0.0.2"))?.state).toBe("in");
  });
});

describe("runs of ordinals", () => {
  it("are joined where they overlap or touch", () => {
    const joined = joinedOrdinals(
      [{ first: 5, end: 8 }],
      [
        { first: 0, end: 5 },
        { first: 9, end: 9 + 1 },
      ],
    );
    expect(joined).toEqual([
      { first: 0, end: 8 },
      { first: 9, end: 10 },
    ]);
  });

  it("lose the ordinals that are gone", () => {
    const left = withoutOrdinals(
      [{ first: 0, end: 10 }],
      [
        { first: 2, end: 4 },
        { first: 9, end: 12 },
      ],
    );
    expect(left).toEqual([
      { first: 0, end: 2 },
      { first: 4, end: 9 },
    ]);
  });
});
