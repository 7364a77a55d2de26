import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cidr, formatCidr } from "../../../src/net/cidr.ts";
import {
  ALLOCATORS,
  atLeaseEnd,
  changesTo,
  decideFor,
  type HeldPrefix,
} from "../../../src/nouns/node/prefixes.ts";
import { network } from "../../builders.ts";

const NAMES = { X: "10.0.1.0/24", Y: "10.0.2.0/24", V6: "2001:db8:0:1::/64" } as const;
const [X, Y, V6] = [network(NAMES.X), network(NAMES.Y), network(NAMES.V6)];

/** Decides, and tells the outcome in a few words. */
function decided(
  allocator: (typeof ALLOCATORS)[number],
  podCidrs: readonly string[],
  aliases: readonly string[],
) {
  const decision = decideFor({
    allocator,
    podCidrs: podCidrs.map(network),
    aliases: aliases.map(network),
  });
  const writes = [
    ...(decision.writesNode ? ["node"] : []),
    ...(decision.writesCloud ? ["cloud"] : []),
  ];
  if (decision.kind === "leave") return [decision.event.reason, ...writes];
  if (decision.kind === "choose") return ["choose", ...writes];
  const { cidrs, replaces } = decision;
  return [`${replaces ? "replace by" : "hold"} ${cidrs.map(formatCidr).join()}`, ...writes];
}

const HOLDS_X = "hold 10.0.1.0/24";
const INVALID = "CloudCIDRAllocatorInvalidMode";
const MISMATCH = "CloudCIDRAllocatorMismatch";

describe("the decision about a node", () => {
  it.each([
    ["RangeAllocator", [], [], ["choose", "node"]],
    ["RangeAllocator", [NAMES.X], [], [HOLDS_X]],
    ["CloudAllocator", [], [], ["CIDRNotAvailable"]],
    ["CloudAllocator", [NAMES.X], [], ["CIDRNotAvailable"]],
    ["CloudAllocator", [], [NAMES.X], ["replace by 10.0.1.0/24", "node"]],
    ["CloudAllocator", [NAMES.Y], [NAMES.X], ["replace by 10.0.1.0/24", "node"]],
    ["CloudAllocator", [NAMES.X], [NAMES.X], ["replace by 10.0.1.0/24"]],
    ["IPAMFromCluster", [], [], ["choose", "node", "cloud"]],
    ["IPAMFromCluster", [], [NAMES.X], [INVALID]],
    ["IPAMFromCluster", [NAMES.X], [], [HOLDS_X, "cloud"]],
    ["IPAMFromCluster", [NAMES.X], [NAMES.X], [HOLDS_X]],
    ["IPAMFromCluster", [NAMES.X], [NAMES.Y], [MISMATCH]],
    ["IPAMFromCloud", [], [], [INVALID]],
    ["IPAMFromCloud", [], [NAMES.X], [HOLDS_X, "node"]],
    ["IPAMFromCloud", [NAMES.X], [], [INVALID]],
    ["IPAMFromCloud", [NAMES.X], [NAMES.X], [HOLDS_X]],
    ["IPAMFromCloud", [NAMES.X], [NAMES.Y], [MISMATCH]],
  ] as const)("with %s, node %j and provider %j is %j", (allocator, podCidrs, aliases, outcome) => {
    expect(decided(allocator, podCidrs, aliases)).toEqual(outcome);
  });

  it("does not depend on the order of the families", () => {
    for (const allocator of ["IPAMFromCluster", "IPAMFromCloud"] as const)
      expect(decided(allocator, [NAMES.X, NAMES.V6], [NAMES.V6, NAMES.X])).toEqual([
        "hold 10.0.1.0/24,2001:db8:0:1::/64",
      ]);
    expect(decided("CloudAllocator", [NAMES.V6, NAMES.X], [NAMES.X, NAMES.V6])).toHaveLength(1);
  });

  it("has an event exactly when nothing changes, and then writes nothing", () => {
    const some = fc.subarray([X, V6]);
    fc.assert(
      fc.property(fc.constantFrom(...ALLOCATORS), some, some, (allocator, podCidrs, aliases) => {
        const decision = decideFor({ allocator, podCidrs, aliases });
        if (decision.kind !== "leave") return;
        expect(decision.writesNode ?? decision.writesCloud).toBeUndefined();
        expect(decision.event.message).toMatch(/^[A-Z].*\.$/);
      }),
    );
  });
});

const held = (cidr: Cidr, isConfirmed: boolean): HeldPrefix => ({ cidr, isConfirmed });

describe("the changes to what a node must have", () => {
  it("are none where the node has it confirmed", () => {
    const none = { giveBack: [], take: [], confirm: [] };
    expect(changesTo([held(X, true)], { cidrs: [X], replaces: false })).toEqual(none);
  });

  it("confirm what the node has unconfirmed, and give back the rest", () => {
    const [x, v6] = [held(X, false), held(V6, false)];
    expect(changesTo([x, v6], { cidrs: [X], replaces: false })).toEqual({
      giveBack: [v6],
      take: [],
      confirm: [x],
    });
  });

  it("give back an unconfirmed prefix before its family is taken again", () => {
    const x = held(X, false);
    expect(changesTo([x], { cidrs: [Y], replaces: false })).toEqual({
      giveBack: [x],
      take: [Y],
      confirm: [],
    });
  });

  it("name a confirmed prefix that stands in the way", () => {
    const x = held(X, true);
    expect(changesTo([x], { cidrs: [Y], replaces: false })).toEqual({ mismatches: [x] });
    expect(changesTo([x], { cidrs: [Y], replaces: true })).toMatchObject({ giveBack: [x] });
  });

  it("lead to exactly what is stated, whatever the node had", () => {
    const prefixes = [X, Y, V6];
    const some = fc.subarray(prefixes);
    const before = fc
      .subarray(prefixes)
      .chain((cidrs) =>
        fc
          .array(fc.boolean(), { minLength: cidrs.length, maxLength: cidrs.length })
          .map((confirmed) => cidrs.map((cidr, n) => held(cidr, confirmed[n] === true))),
      );
    fc.assert(
      fc.property(before, some, fc.boolean(), (had, cidrs, replaces) => {
        const changes = changesTo(had, { cidrs, replaces });
        if ("mismatches" in changes) {
          expect(replaces).toBe(false);
          return;
        }
        const { giveBack, take, confirm } = changes;
        const kept = had.filter((each) => !giveBack.includes(each));
        const after = [...kept.map(({ cidr }) => cidr), ...take];
        expect(after.map(formatCidr).sort()).toEqual(cidrs.map(formatCidr).sort());
        expect(kept.every((each) => each.isConfirmed || confirm.includes(each))).toBe(true);
      }),
    );
  });
});

describe("unconfirmed prefixes at the end of their lease", () => {
  it("are confirmed if the node reported one of them", () => {
    expect(atLeaseEnd("a", [X, V6], [{ uid: "a", podCidrs: [X] }])).toBe("confirm");
  });

  it("are kept while the node has none, because it still needs them", () => {
    expect(atLeaseEnd("a", [X], [{ uid: "a", podCidrs: [] }])).toBe("renew");
  });

  it("stay if the Node or its CiliumNode shows one of them", () => {
    const none = { uid: "a", podCidrs: [] };
    expect(atLeaseEnd("a", [X], [none, { uid: "a", podCidrs: [X] }])).toBe("confirm");
    expect(atLeaseEnd("a", [X], [{ uid: "a", podCidrs: [Y] }, none])).toBe("renew");
  });

  it("are kept while the node shows only its prefix of the other family", () => {
    expect(atLeaseEnd("a", [V6], [{ uid: "a", podCidrs: [X] }])).toBe("renew");
  });

  it("go back if the node has others, is unknown, or is another incarnation", () => {
    expect(atLeaseEnd("a", [X], [{ uid: "a", podCidrs: [Y] }])).toBe("end");
    expect(atLeaseEnd("a", [X], [])).toBe("end");
    expect(atLeaseEnd("a", [X], [{ uid: "b", podCidrs: [X] }])).toBe("end");
  });
});
