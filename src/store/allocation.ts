import {
  type AssignmentRecord,
  type Due,
  dueAtMsOf,
  type Part,
  RECORD_STATES,
} from "../domain/allocation.ts";
import type { RecordPlace } from "../domain/allocation-place.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import type { Missing, Outcome } from "../domain/outcome.ts";
import type { Owners } from "../domain/owner.ts";
import type { SeatOfRecord } from "../domain/quota-slot.ts";
import { shardOf } from "../domain/shard.ts";
import type { RecordStart } from "../domain/token.ts";
import { idOf, listOf, mapOf, numberOf, oneOf, setOf, textOf } from "./attribute.ts";
import { equals, present, sizeIs } from "./clause.ts";
import { TABLE } from "./definition.ts";
import { reading } from "./format.ts";
import type { Item, Value } from "./item.ts";
import { recordKey, recordPk, recordPlaceOf, recordPrefix } from "./key.ts";
import { withItem } from "./outcome.ts";
import { sorted } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";
import { cidrText } from "./text.ts";

/** Assignment records: one request's hold on addresses. Each method is one call. */
export function recordItems(table: Table) {
  const records = revised(table, itemFrom, recordFrom);
  return {
    async readRecord(place: RecordPlace): Promise<AssignmentRecord | undefined> {
      const item = await table.get(recordKey(place));
      return item && recordFrom(item);
    },

    /** Every record in the partition of a handle's hash, or the first so many after one; compare the full handle. */
    async listRecords(
      space: string,
      handleHash: string,
      { after, limit }: { readonly after?: RecordPlace | undefined; readonly limit?: number } = {},
    ): Promise<readonly AssignmentRecord[]> {
      const page = {
        ...(after && { after: recordKey(after).sk }),
        ...(limit !== undefined && { limit }),
      };
      return (await table.query(recordPk(space, handleHash), page)).map(recordFrom);
    },

    /** The records of a partition that begin so, or all of them; those that cannot be read are beside them. */
    async recordsFrom(space: string, handleHash: string, start: RecordStart | undefined) {
      const page = start && { prefix: recordPrefix(start) };
      const { read, unreadable } = sorted(
        await table.query(recordPk(space, handleHash), page),
        recordFrom,
      );
      return { records: read, unreadable };
    },

    /** The first so many records of a partition, or those after one, and where the next page begins. */
    async listRecordPage(
      space: string,
      handleHash: string,
      { after, limit }: { readonly after?: RecordPlace | undefined; readonly limit: number },
    ) {
      const page = { limit, ...(after && { after: recordKey(after).sk }) };
      const items = await table.query(recordPk(space, handleHash), page);
      const { read, unreadable } = sorted(items, recordFrom);
      const last = items.length === limit ? items.at(-1) : undefined;
      return { records: read, unreadable, next: last && recordPlaceOf(last) };
    },

    createRecord: (record: AssignmentRecord) =>
      records.create("create-record", "record-absent", record),

    /** Changes a record exactly as it was seen; `step` names the act. */
    changeRecord: records.change,
    deleteRecord: records.remove,

    /** Writes into a keyed record that an address of it is given back, before the address is. */
    async markGiven(
      place: RecordPlace,
      token: string,
      given: {
        readonly address: string;
        readonly complete: boolean;
        readonly revision: string;
        readonly atMs: number;
        readonly dueAtMs: number;
      },
    ): Promise<Outcome<AssignmentRecord>> {
      const outcome = await table.write({
        step: "mark-given",
        key: recordKey(place),
        when: [
          // A head that is still open was never answered: nobody can rightly give its addresses back.
          equals("mark-live", "live", "state"),
          // The request was not begun again under other tokens meanwhile (rule 4).
          present("mark-token", "parts", token),
        ],
        change: {
          kind: "update",
          set: [
            ...(given.complete ? ([[["state"], "released"]] as const) : []),
            [["revision"], given.revision],
            [["at"], given.atMs],
            ...dueAttributes(place, given.dueAtMs),
          ],
          add: [[["given"], new Set([given.address])]],
        },
      });
      return withItem(outcome, recordFrom);
    },

    /** Deletes a record whose one part is this token's, without having read it: the release by address of a lone address. */
    async deleteRecordOfToken(place: RecordPlace, token: string): Promise<void> {
      await table.write({
        step: "release-record",
        key: recordKey(place),
        when: [
          present("release-record-token", "parts", token),
          // The generation says so as well, but who sends one may have altered it.
          sizeIs("release-record-sole", 1, "parts"),
        ],
        change: { kind: "delete" },
      });
    },

    /** A record that a release by address could not delete, since it has other parts, is the collector's to look at now. */
    async markDue(place: RecordPlace, token: string, dueAtMs: number): Promise<void> {
      await table.write({
        step: "mark-due",
        key: recordKey(place),
        when: [present("due-token", "parts", token)],
        change: { kind: "update", set: dueAttributes(place, dueAtMs) },
      });
    },

    /** Records that the index says are due; a suggestion, to be read before it is acted on. */
    async dueRecords(
      shard: number,
      {
        after,
        ...page
      }: { readonly untilMs: number; readonly limit: number; readonly after?: Due },
    ): Promise<readonly Due[]> {
      const from = after && { ...recordKey(after.place), dueAtMs: after.dueAtMs };
      const keys = await table.due(shardName(shard), { ...page, after: from });
      return keys.map((key) => ({ place: recordPlaceOf(key), dueAtMs: key.dueAtMs }));
    },
  };
}

const shardName = (shard: number) => `DUE#${shard}`;

/** Spread by the handle's hash: a hot partition of the index would throttle the table. */
function dueAttributes(place: RecordPlace, dueAtMs: number) {
  const shard = shardOf(BigInt(`0x${place.handleHash}`));
  return [
    [[TABLE.dueIndex.partitionKey], shardName(shard)],
    [[TABLE.dueIndex.sortKey], dueAtMs],
  ] as const;
}

function itemFrom(record: AssignmentRecord): Item {
  const dueAtMs = dueAtMsOf(record);
  const due =
    dueAtMs === undefined
      ? {}
      : Object.fromEntries(
          dueAttributes(record.place, dueAtMs).map(([[name], value]) => [name, value]),
        );
  return {
    ...recordKey(record.place),
    state: record.state,
    handle: record.handle,
    host: record.host,
    ...(Object.keys(record.attributes).length > 0 && { attributes: record.attributes }),
    ...(record.assignedBy !== undefined && { by: record.assignedBy }),
    ...(record.owners.size > 0 && { owners: ownersItem(record.owners) }),
    want: record.want,
    ...(record.missing.length > 0 && { missing: record.missing.map((each) => ({ ...each })) }),
    parts: Object.fromEntries(
      record.parts.map(({ token, block, count, ordinals }) => [
        token,
        { block: formatCidr(block), count, ordinals },
      ]),
    ),
    ...(record.given.size > 0 && { given: record.given }),
    ...(record.seats.length > 0 && { seats: record.seats.map((seat) => ({ ...seat })) }),
    ...(record.also.length > 0 && { also: record.also }),
    digest: record.digest,
    revision: record.revision,
    at: record.atMs,
    ...(record.expiresAtMs !== undefined && { expires: record.expiresAtMs }),
    ...due,
  };
}

const ownersItem = (owners: AssignmentRecord["owners"]) =>
  Object.fromEntries([...owners].map(([address, sides]) => [address, { ...sides }]));

export const recordFrom = reading((item: Item): AssignmentRecord => {
  return {
    place: recordPlaceOf(item),
    state: oneOf(item, "state", RECORD_STATES),
    handle: textOf(item, "handle"),
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
    given: setOf(item, "given"),
    seats: has(item, "seats") ? (listOf(item, "seats") as unknown as readonly SeatOfRecord[]) : [],
    also: has(item, "also") ? (listOf(item, "also") as readonly string[]) : [],
    digest: textOf(item, "digest"),
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
    ...(has(item, "expires") && { expiresAtMs: numberOf(item, "expires") }),
  };
});

const has = (item: Item, name: string): boolean => item[name] !== undefined;

function partFrom([token, value]: readonly [string, Value]): Part {
  const part = value as Readonly<Record<string, Value>>;
  return {
    token,
    block: cidrText(part.block),
    count: numberOf(part, "count"),
    ordinals: listOf(part, "ordinals") as readonly number[],
  };
}
