import { assertTexts, assertTimes } from "../../base/assertions.ts";
import { shardOf } from "../../base/hash.ts";
import type { PageWanted } from "../../base/listed.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { DueTombstone } from "../../nouns/node/tombstone.ts";
import { mapOf } from "../../table/attribute.ts";
import { absent, equals, present, sizeIs } from "../../table/clause.ts";
import {
  cidr,
  codec,
  type Form,
  flat,
  host,
  id,
  map,
  mark,
  number,
  optional,
  revised,
  type SparseForm,
  set,
  someOf,
  sparse,
  text,
  textAmong,
  under,
  withItem,
} from "../../table/codec.ts";
import { dueShard, TABLE } from "../../table/definition.ts";
import { readEach } from "../../table/format.ts";
import type { Key } from "../../table/item.ts";
import {
  allocationKey,
  allocationPk,
  allocationPlaceIn,
  allocationPrefix,
  tombstoneKey,
} from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  ALLOCATION_STATES,
  type Allocation,
  assertAllocation,
  type Due,
  dueAtMsOf,
  type FreedMark,
  type KeptMark,
  type Part,
} from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import type { AllocationStart } from "../values/fresh.ts";
import type { Owners } from "../values/owner.ts";
import { dueTombstoneFrom, isTombstone } from "./node-life.ts";

/**
 * The calls for allocations: the holds of requests on addresses. Each method is one call to the
 * database.
 */
export function allocationItems(table: Table) {
  const allocations = revised(table, ALLOCATION);
  return {
    async readAllocation(place: AllocationPlace): Promise<Allocation | undefined> {
      const item = await table.get(allocationKey(place));
      return item && allocationFrom(item);
    },

    /**
     * Returns every allocation in the partition of a handle's hash, or the first `limit` ones after
     * one of them. Hashes can collide, so the caller must compare the full handle.
     */
    async listAllocations(
      space: string,
      handleHash: string,
      {
        after,
        limit,
      }: { readonly after?: AllocationPlace | undefined; readonly limit?: number } = {},
    ): Promise<readonly Allocation[]> {
      const page = {
        ...(after && { after: allocationKey(after).sk }),
        ...(limit !== undefined && { limit }),
      };
      return (await table.query(allocationPk(space, handleHash), page)).map(allocationFrom);
    },

    /**
     * Returns the allocations of a partition whose ids have this start, or all of them. The answer
     * names unreadable allocations beside the others.
     */
    async allocationsFrom(space: string, handleHash: string, start: AllocationStart | undefined) {
      const page = start && { prefix: allocationPrefix(start) };
      return readEach(await table.query(allocationPk(space, handleHash), page), allocationFrom);
    },

    /**
     * Returns the first `limit` allocations of a partition, or those after one of them, and the
     * start of the next page.
     */
    async listAllocationPage(
      space: string,
      handleHash: string,
      { after, limit }: PageWanted<AllocationPlace>,
    ) {
      const page = { limit, ...(after && { after: allocationKey(after).sk }) };
      const items = await table.query(allocationPk(space, handleHash), page);
      const last = items.length === limit ? items.at(-1) : undefined;
      return { ...readEach(items, allocationFrom), next: last && allocationPlaceIn(last) };
    },

    createAllocation: (allocation: Allocation) =>
      allocations.create("create-allocation", "allocation-absent", allocation),

    /**
     * Changes an allocation if its revision is the one seen. `step` names the step of the protocol.
     */
    changeAllocation: allocations.change,
    deleteAllocation: allocations.remove,

    /** Marks an address in its keyed allocation as freed, before the write that frees its slot. */
    async markFreed(
      place: AllocationPlace,
      token: string,
      freed: FreedMark,
    ): Promise<Outcome<Allocation>> {
      assertTexts({ revision: freed.revision });
      assertTimes(freed.atMs, freed.dueAtMs);
      const outcome = await table.write({
        step: "mark-freed",
        key: allocationKey(place),
        when: [
          // No caller was told of a pending allocation, so no caller can release its addresses.
          equals("mark-live", freed.instance?.state ?? "live", "state"),
          // The request did not start again with other tokens meanwhile (rule 4).
          present("mark-token", "parts", token),
          // No pool was made of the prefix (I23).
          absent("mark-child", "child"),
          // The addresses do not belong to a later incarnation of the instance.
          ...(freed.instance
            ? [equals("mark-incarnation", freed.instance.incarnation, "workload", "incarnation")]
            : []),
        ],
        change: {
          kind: "update",
          set: [
            ...(freed.complete ? ([[["state"], "released"]] as const) : []),
            [["revision"], freed.revision],
            // An allocation that has others is as old as before.
            [[freed.complete ? "at" : "freedAt"], freed.atMs],
            ...(freed.dueAtMs === undefined ? [] : dueAttributes(place, freed.dueAtMs)),
          ],
          add: [
            [["released"], new Set([freed.address])],
            ...(freed.isConflict ? ([[["conflicts"], new Set([freed.address])]] as const) : []),
          ],
        },
      });
      return withItem(outcome, allocationFrom);
    },

    /** Keeps the addresses of an instance for its next incarnation, if this incarnation still has them. */
    async keepAllocation(
      place: AllocationPlace,
      { incarnation, revision, atMs }: KeptMark,
    ): Promise<Outcome<Allocation>> {
      assertTexts({ incarnation, revision });
      assertTimes(atMs);
      const outcome = await table.write({
        step: "keep",
        key: allocationKey(place),
        when: [
          // A release that came first is final, and a request in progress has no addresses yet.
          equals("keep-live", "live", "state"),
          equals("keep-incarnation", incarnation, "workload", "incarnation"),
        ],
        change: {
          kind: "update",
          set: [
            [["state"], "kept"],
            [["revision"], revision],
            [["at"], atMs],
          ],
        },
      });
      return withItem(outcome, allocationFrom);
    },

    /**
     * Deletes an allocation whose only part has this token, without reading it first. A release by
     * address of a single address uses it. Returns the allocation if this call deleted it.
     */
    async deleteAllocationOfToken(
      place: AllocationPlace,
      token: string,
    ): Promise<Allocation | undefined> {
      const deleted = await table.write({
        step: "release-allocation",
        key: allocationKey(place),
        when: [
          present("release-allocation-token", "parts", token),
          // The generation says so too, but a caller may have altered it.
          sizeIs("release-allocation-sole", 1, "parts"),
        ],
        change: { kind: "delete", returnsOld: true },
      });
      return deleted.outcome === "done" ? allocationFrom(deleted.item) : undefined;
    },

    /**
     * Makes an allocation due for repair now. A release by address uses it for an allocation that
     * it could not delete, because the allocation has other parts.
     */
    async markDue(place: AllocationPlace, token: string, dueAtMs: number): Promise<void> {
      await table.write({
        step: "mark-due",
        key: allocationKey(place),
        when: [present("due-token", "parts", token)],
        change: { kind: "update", set: dueAttributes(place, dueAtMs) },
      });
    },

    /**
     * Returns allocations and tombstones that are due according to the index. The index only
     * suggests, so the caller must read each before it acts.
     */
    async dueAllocations(
      shard: number,
      {
        after,
        ...page
      }: {
        readonly untilMs: number;
        readonly limit: number;
        readonly after?: Due | DueTombstone;
      },
    ): Promise<readonly (Due | DueTombstone)[]> {
      const from = after && { ...dueKeyOf(after), dueAtMs: after.dueAtMs };
      const keys = await table.due(dueShard(shard), { ...page, after: from });
      return keys.map((key) =>
        isTombstone(key)
          ? dueTombstoneFrom(key)
          : { place: allocationPlaceIn(key), dueAtMs: key.dueAtMs },
      );
    },
  };
}

function dueKeyOf(due: Due | DueTombstone): Key {
  if (!("tombstone" in due)) return allocationKey(due.place);
  const { space, name, uid } = due.tombstone;
  return tombstoneKey(space, name, uid);
}

/**
 * Returns the attributes of the due index. The shard follows from the handle's hash, because a hot
 * partition of the index would throttle the table.
 */
function dueAttributes(place: AllocationPlace, dueAtMs: number) {
  const shard = shardOf(BigInt(`0x${place.handleHash}`));
  return [
    [[TABLE.dueIndex.partitionKey], dueShard(shard)],
    [[TABLE.dueIndex.sortKey], dueAtMs],
  ] as const;
}

/** The parts, by their tokens. */
const parts: Form<readonly Part[]> = {
  write: (parts) => Object.fromEntries(parts.map((part) => [part.token, PART.write(part)])),
  read(attributes, name) {
    const byToken = mapOf(attributes, name);
    return Object.keys(byToken).map((token) => ({ token, ...PART.read(mapOf(byToken, token)) }));
  },
};

const PART = flat<Omit<Part, "token">>({
  block: cidr,
  count: number,
  ordinals: someOf(),
  pool: optional(text),
  interface: optional(text),
  ofApplication: optional(mark),
  coolsAgain: optional(mark),
});

const ownAttributes: SparseForm<Allocation["attributes"]> = {
  isSparse: true,
  write: (attributes) => (Object.keys(attributes).length > 0 ? attributes : undefined),
  read: (item, name) =>
    item[name] === undefined ? {} : (mapOf(item, name) as Allocation["attributes"]),
};

const owners: SparseForm<Allocation["owners"]> = {
  isSparse: true,
  write: (owners) =>
    owners.size > 0
      ? Object.fromEntries([...owners].map(([address, sides]) => [address, { ...sides }]))
      : undefined,
  read: (item, name) =>
    new Map(
      item[name] === undefined ? [] : Object.entries(mapOf(item, name) as Record<string, Owners>),
    ),
};

const ALLOCATION = codec<Allocation, "place">({
  key: ({ place }) => allocationKey(place),
  named: (key) => ({ place: allocationPlaceIn(key) }),
  attributes: {
    state: textAmong(ALLOCATION_STATES),
    handle: text,
    workload: optional(map()),
    host,
    attributes: ownAttributes,
    assignedBy: under("by", optional(text)),
    owners,
    want: number,
    missing: sparse(someOf()),
    parts,
    released: set,
    conflicts: set,
    charges: sparse(someOf()),
    indexed: optional(map()),
    quotaSlots: sparse(someOf()),
    reused: sparse(someOf()),
    digest: text,
    revision: id,
    atMs: under("at", number),
    freedAtMs: under("freedAt", optional(number)),
    expiresAtMs: under("expires", optional(number)),
    childId: under("child", optional(id)),
  },
  beside(allocation) {
    const dueAtMs = dueAtMsOf(allocation);
    if (dueAtMs === undefined) return {};
    const due = dueAttributes(allocation.place, dueAtMs);
    return Object.fromEntries(due.map(([[name], value]) => [name, value]));
  },
  assert: assertAllocation,
});
export const allocationFrom = ALLOCATION.from;
