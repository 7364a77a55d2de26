import {
  ALLOCATION_STATES,
  type Allocation,
  assertAllocation,
  type Due,
  dueAtMsOf,
  type FreedMark,
  type Indexed,
  type KeptMark,
} from "../domain/allocation.ts";
import type { AllocationPlace } from "../domain/allocation-place.ts";
import { assertTexts, assertTimes } from "../domain/assertions.ts";
import type { Charge } from "../domain/budget.ts";
import type { HostId } from "../domain/host.ts";
import type { PageWanted } from "../domain/listed.ts";
import type { Missing, Outcome } from "../domain/outcome.ts";
import type { Owners } from "../domain/owner.ts";
import type { QuotaSlotOfAllocation } from "../domain/quota-slot.ts";
import { shardOf } from "../domain/shard.ts";
import type { AllocationStart } from "../domain/token.ts";
import type { DueTombstone } from "../domain/tombstone.ts";
import type { Instance } from "../domain/workload.ts";
import { partFrom, partItem } from "./allocation-part.ts";
import { has, idOf, listOf, mapOf, numberOf, oneOf, setOf, textOf } from "./attribute.ts";
import { chargesItem } from "./budget.ts";
import { absent, equals, present, sizeIs } from "./clause.ts";
import { dueShard, TABLE } from "./definition.ts";
import { reading } from "./format.ts";
import type { Item, Key } from "./item.ts";
import {
  allocationKey,
  allocationPk,
  allocationPlaceOf,
  allocationPrefix,
  tombstoneKey,
} from "./key.ts";
import { dueTombstoneFrom, isTombstone } from "./node-life.ts";
import { withItem } from "./outcome.ts";
import { readEach } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/**
 * The calls for allocations: the holds of requests on addresses. Each method is one call to the
 * database.
 */
export function allocationItems(table: Table) {
  const allocations = revised(table, itemFrom, allocationFrom);
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
      return { ...readEach(items, allocationFrom), next: last && allocationPlaceOf(last) };
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
            [["at"], freed.atMs],
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
          : { place: allocationPlaceOf(key), dueAtMs: key.dueAtMs },
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

function itemFrom(allocation: Allocation): Item {
  assertAllocation(allocation);
  const dueAtMs = dueAtMsOf(allocation);
  const due =
    dueAtMs === undefined
      ? {}
      : Object.fromEntries(
          dueAttributes(allocation.place, dueAtMs).map(([[name], value]) => [name, value]),
        );
  return {
    ...allocationKey(allocation.place),
    state: allocation.state,
    handle: allocation.handle,
    ...(allocation.workload && { workload: { ...allocation.workload } }),
    host: allocation.host,
    ...(Object.keys(allocation.attributes).length > 0 && { attributes: allocation.attributes }),
    ...(allocation.assignedBy !== undefined && { by: allocation.assignedBy }),
    ...(allocation.owners.size > 0 && { owners: ownersItem(allocation.owners) }),
    want: allocation.want,
    ...(allocation.missing.length > 0 && {
      missing: allocation.missing.map((each) => ({ ...each })),
    }),
    parts: Object.fromEntries(allocation.parts.map(partItem)),
    ...(allocation.released.size > 0 && { released: allocation.released }),
    ...(allocation.conflicts.size > 0 && { conflicts: allocation.conflicts }),
    ...(allocation.charges.length > 0 && { charges: chargesItem(allocation.charges) }),
    ...(allocation.indexed && { indexed: { ...allocation.indexed } }),
    ...(allocation.quotaSlots.length > 0 && {
      quotaSlots: allocation.quotaSlots.map((quotaSlot) => ({ ...quotaSlot })),
    }),
    ...(allocation.reused.length > 0 && { reused: allocation.reused }),
    digest: allocation.digest,
    revision: allocation.revision,
    at: allocation.atMs,
    ...(allocation.expiresAtMs !== undefined && { expires: allocation.expiresAtMs }),
    ...(allocation.childId !== undefined && { child: allocation.childId }),
    ...due,
  };
}

const ownersItem = (owners: Allocation["owners"]) =>
  Object.fromEntries([...owners].map(([address, sides]) => [address, { ...sides }]));

export const allocationFrom = reading((item: Item): Allocation => {
  return {
    place: allocationPlaceOf(item),
    state: oneOf(item, "state", ALLOCATION_STATES),
    handle: textOf(item, "handle"),
    ...(has(item, "workload") && { workload: mapOf(item, "workload") as unknown as Instance }),
    host: idOf(item, "host") as HostId,
    attributes: has(item, "attributes")
      ? (mapOf(item, "attributes") as Record<string, string>)
      : {},
    ...(has(item, "by") && { assignedBy: textOf(item, "by") }),
    owners: new Map(
      has(item, "owners") ? Object.entries(mapOf(item, "owners") as Record<string, Owners>) : [],
    ),
    want: numberOf(item, "want"),
    missing: has(item, "missing") ? (listOf(item, "missing") as unknown as readonly Missing[]) : [],
    parts: Object.entries(mapOf(item, "parts")).map(partFrom),
    released: setOf(item, "released"),
    conflicts: setOf(item, "conflicts"),
    charges: has(item, "charges") ? (listOf(item, "charges") as unknown as readonly Charge[]) : [],
    ...(has(item, "indexed") && { indexed: mapOf(item, "indexed") as unknown as Indexed }),
    quotaSlots: has(item, "quotaSlots")
      ? (listOf(item, "quotaSlots") as unknown as readonly QuotaSlotOfAllocation[])
      : [],
    reused: has(item, "reused") ? (listOf(item, "reused") as readonly string[]) : [],
    digest: textOf(item, "digest"),
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
    ...(has(item, "expires") && { expiresAtMs: numberOf(item, "expires") }),
    ...(has(item, "child") && { childId: idOf(item, "child") }),
  };
}, assertAllocation);
