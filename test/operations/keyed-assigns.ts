import { expect } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { addressOf, assigned, interfacesRequest, poolOf, requestOf, SPACE } from "../world.ts";
import { addIpv6, ONE_OF_EACH_FAMILY } from "./assigns.ts";
import { AUTHOR_MS, type Operation } from "./operation.ts";
import { revision, selectivePool } from "./pools.ts";

/** Assigns with an Idempotency-Key. */
export const KEYED_ASSIGNS: readonly Operation[] = [
  {
    name: "assign with an Idempotency-Key",
    step: "create-allocation",
    walk: (context) => assign(context, keyed(1)),
    again: "the same answer",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, keyed(1)),
        waitMs: AUTHOR_MS,
      },
    ],
    late: [
      {
        step: "take-slots",
        rejectedBy: "take-epoch",
        why: "the repair run fenced the block before it gave the key free",
      },
    ],
  },
  {
    name: "assign of two addresses with an Idempotency-Key",
    step: "take-slots",
    walk: (context) => assign(context, keyed(2)),
    again: "the same answer",
  },
  {
    name: "assign over several blocks with an Idempotency-Key",
    step: "pending-live",
    walk: (context) => assign(context, keyed(5)),
    again: "the same answer",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, keyed(5)),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "assign of a specific address with an Idempotency-Key",
    step: "take-slots",
    walk: (context) => assign(context, { ...keyed(1), addresses: [addressOf("10.0.0.3")] }),
    again: "the same answer",
  },
  {
    name: "assign of a specific address of each family with an Idempotency-Key",
    step: "pending-live",
    prepare: async ({ calm }) => {
      await addIpv6(calm);
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, specificBoth),
    again: "the same answer",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, specificBoth),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "assign of both families with an Idempotency-Key",
    step: "pending-live",
    prepare: async ({ calm }) => {
      await addIpv6(calm);
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, keyedBoth),
    again: "the same answer",
  },
  {
    name: "assign of two interfaces with an Idempotency-Key",
    step: "pending-live",
    walk: (context) => assign(context, twoInterfaces),
    again: "the same answer",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, twoInterfaces),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "assign of two interfaces in two pools, with an Idempotency-Key",
    step: "pending-live",
    prepare: async ({ calm }) => {
      await putPool(calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
      return { old: await assigned(calm, requestOf("old", 1)) };
    },
    walk: (context) => assign(context, keyedInterfaces),
    again: "the same answer",
  },
  {
    name: "assign by the labels that come with the request",
    step: "take-slots",
    prepare: async ({ calm }) => {
      await putPool(calm, SPACE, "pool", selectivePool, await revision(calm));
      return { old: await assigned(calm, { ...requestOf("old", 1), ...LABELLED }) };
    },
    walk: (context) => assign(context, { ...requestOf("new", 1, "key"), ...LABELLED }),
    again: "the same answer",
  },
  {
    name: "an assign in part, of the one family that a pool serves",
    step: "take-slots",
    walk: (context) => assign(context, inPart()),
    again: async (context) =>
      expect(await assigned(context, inPart())).toMatchObject({
        addresses: [{ family: 4 }],
        missing: [{ family: 6, count: 1, code: "no_pool_available" }],
      }),
  },
];

/** Returns a request for this many addresses under a key. */
export const keyed = (count: number): AssignRequest => requestOf("keyed", count, "once");

/** A request for an address of each of two interfaces, under a key. */
export const twoInterfaces = interfacesRequest("keyed", undefined, "once");

const keyedInterfaces = interfacesRequest("keyed", { eth0: ["pool"], net1: ["second"] }, "once");
const LABELLED = { hostLabels: { zone: "west" }, namespaceLabels: { team: "web" } };
const ofBothFamilies = {
  wanted: [
    { family: 4, count: 1 },
    { family: 6, count: 1 },
  ],
} as const;
const keyedBoth: AssignRequest = { ...requestOf("both", 1, "once"), ...ofBothFamilies };

const specificBoth: AssignRequest = { ...requestOf("named", 1, "named"), ...ONE_OF_EACH_FAMILY };

/** Makes a request for both families, of which only one has a pool. */
const inPart = (): AssignRequest => ({
  ...requestOf("new", 1, "key"),
  ...ofBothFamilies,
  allowPartial: true,
});
