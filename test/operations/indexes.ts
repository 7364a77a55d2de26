import { expect } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { hashOfValue } from "../../src/kernel/values/index-entry.ts";
import { INDEX_SETTLE_MS } from "../../src/kernel/values/limits.ts";
import { putSettings } from "../../src/nouns/pool/operations/administration.ts";
import { buildIndexes, ofTenant, setIndexes } from "../indexes.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { repairAll } from "../scheduled-runs.ts";
import { assigned, releaseAll, SPACE, type World } from "../world.ts";
import { AUTHOR_MS, type Operation } from "./operation.ts";

/** Writes the settings with these indexed attributes, as an operator would who has just read them. */
async function index(context: Context, indexedAttributes: readonly string[]) {
  const { settings, settingsRevision } = await context.store.readSpace(SPACE);
  return putSettings(context, SPACE, { ...settings, indexedAttributes }, settingsRevision);
}

/** Checks that the walks were asked for the entries of the index. */
async function expectIndexed({ store }: Context): Promise<void> {
  const { indexes } = await store.readSpace(SPACE);
  expect(indexes).toMatchObject([{ attribute: "tenant", sinceMs: expect.any(Number) }]);
}

/** Assigns an address of a tenant under a complete index. */
async function withIndexed(world: World) {
  await setIndexes(world.calm, ["tenant"]);
  await buildIndexes(world);
  return { old: await assigned(world.calm, ofTenant("old", "red")) };
}

/** Leaves an entry where the request has its own, as a write that landed late would. */
async function leaveEntry({ calm, clock }: World, { handle, keyId = "" }: AssignRequest) {
  const place = { space: SPACE, handleHash: hashOfValue(handle), id: keyId, keyed: true };
  const value = { space: SPACE, attribute: "tenant", valueHash: hashOfValue("red") };
  const entry = { ...value, place, revision: "earlier", atMs: clock.nowMs };
  await calm.store.putIndexEntry(entry, undefined);
}

const KEYED = ofTenant("new", "red", { key: "once" });

const ofPod = (uid: string, tenant: string) =>
  instanceRequest(podOf(uid), { attributes: { tenant } });

/** The operations with indexes of attributes. */
export const INDEXES: readonly Operation[] = [
  {
    name: "a new index",
    step: "ask-indexing",
    prepare: async ({ calm }) => ({ old: await assigned(calm, ofTenant("old", "red")) }),
    walk: (context) => index(context, ["tenant"]),
    again: async (context) => {
      await index(context, ["tenant"]);
      await expectIndexed(context);
    },
  },
  {
    name: "assign with an index",
    step: "index-entry",
    prepare: withIndexed,
    walk: (context) => assign(context, ofTenant("new", "red")),
    again: (context) => assign(context, ofTenant("newer", "red")),
  },
  {
    name: "assign with an index and an Idempotency-Key",
    step: "index-entry",
    prepare: withIndexed,
    walk: (context) => assign(context, KEYED),
    again: "the same answer",
    meets: [
      {
        with: "the same request",
        walk: (context) => assign(context, KEYED),
        waitMs: AUTHOR_MS,
      },
    ],
  },
  {
    name: "assign in two blocks with an index and a key",
    step: "pending-live",
    prepare: withIndexed,
    walk: (context) => assign(context, ofTenant("new", "red", { count: 3, key: "once" })),
    again: "the same answer",
  },
  {
    name: "assign with a key over an entry that was left",
    step: "index-entry-over",
    prepare: async (world) => {
      const told = await withIndexed(world);
      await leaveEntry(world, KEYED);
      return told;
    },
    walk: (context) => assign(context, KEYED),
    again: "the same answer",
  },
  {
    name: "release by address with an index",
    step: "index-entry-drop",
    prepare: async (world) => ({
      ...(await withIndexed(world)),
      gone: await assigned(world.calm, ofTenant("gone", "red")),
    }),
    walk: (context, { gone }) => releaseAll(context, gone),
    again: "the same",
  },
  {
    name: "release by handle with an index",
    step: "index-entry-drop",
    prepare: async (world) => ({
      ...(await withIndexed(world)),
      gone: await assigned(world.calm, ofTenant("gone", "red", { count: 3, key: "once" })),
    }),
    walk: (context) => releaseHandle(context, SPACE, "gone"),
    again: "the same",
  },
  {
    name: "return of an instance with another value of an indexed attribute",
    step: "index-entry",
    prepare: async (world) => {
      const told = await withIndexed(world);
      await assigned(world.calm, ofPod("uid-1", "red"));
      await releaseOf(world.calm, podOf("uid-1"), true);
      return told;
    },
    walk: (context) => assign(context, ofPod("uid-2", "blue")),
    again: "the same",
  },
  {
    name: "repair of what was assigned before its index",
    step: "reindex",
    prepare: async (world) => {
      const old = await assigned(world.calm, ofTenant("old", "red"));
      await setIndexes(world.calm, ["tenant"]);
      // The walks that an operator waits for begin with the first runs, and end in them.
      world.clock.nowMs += INDEX_SETTLE_MS;
      return { old };
    },
    walk: (context) => repairAll(context),
    again: "the same",
  },
  {
    name: "repair of an index whose PUT was cut off",
    step: "ask-indexing",
    prepare: async ({ calm }) => {
      const old = await assigned(calm, ofTenant("old", "red"));
      const { settings, settingsRevision } = await calm.store.readSpace(SPACE);
      const indexes = [{ attribute: "tenant" }];
      const cutOff = { ...settings, indexedAttributes: ["tenant"], indexes };
      await calm.store.putSettings(SPACE, cutOff, "cut-off", settingsRevision);
      return { old };
    },
    walk: (context) => repairAll(context),
    again: async (context) => {
      await repairAll(context);
      await expectIndexed(context);
    },
  },
  {
    name: "repair of what is in an index that was removed",
    step: "reindex",
    prepare: async (world) => {
      const told = await withIndexed(world);
      await setIndexes(world.calm, []);
      world.clock.nowMs += INDEX_SETTLE_MS;
      return told;
    },
    walk: (context) => repairAll(context),
    again: "the same",
  },
];
