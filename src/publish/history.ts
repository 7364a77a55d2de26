import { PAGE_BYTES_MAX } from "../base/limits.ts";
import type { Page, PageWanted } from "../base/listed.ts";
import { UnavailableError } from "../base/outcome.ts";
import { allocationFrom } from "../kernel/items/allocation.ts";
import type { Allocation } from "../kernel/values/allocation.ts";
import type { AllocationStart } from "../kernel/values/fresh.ts";
import { mapOf, numberOf, textOf } from "../table/attribute.ts";
import type { ItemChange } from "../table/change-log.ts";
import { HISTORY } from "../table/definition.ts";
import { readEach } from "../table/format.ts";
import type { Item, Key } from "../table/item.ts";
import { allocationPk, allocationPrefix, escaped } from "../table/key.ts";
import type { Table, Write } from "../table/table.ts";
import type { AddressDetail } from "./address-detail.ts";
import type { DomainEvent } from "./domain-event.ts";
import type { Detail } from "./draft.ts";

/** Entries of a history that are read at once. With the most attributes one has 200 KB. */
const ENTRIES_PER_READ = 50;

/** The attribute with the second after which DynamoDB deletes the item. */
const EXPIRES = HISTORY.timeToLive;
/** A copy of an allocation is kept for longer than the stream keeps the changes of its addresses, which is 24 hours. */
const COPY_KEPT_MS = 48 * 60 * 60 * 1000;
/** The first character after the digits, which begin the keys of entries. */
const AFTER_ENTRIES = ":";
const HOLDER_SK = "HOLDER";

/** The owner of an address according to the stream: the part that took it, and what events tell of it. */
export interface Holder {
  readonly token: string;
  readonly detail: AddressDetail;
}

/** The partition of a history. */
export type Subject =
  | { readonly space: string; readonly address: string }
  | { readonly space: string; readonly handleHash: string };

/**
 * The calls for the history: a table of its own, which nothing but the publisher writes. No assignment depends on it.
 * An entry is an event, once under its address and once under its handle. Entries end after a number of days; the
 * holder of an address stays until the address is released.
 */
export function historyItems(table: Table) {
  const write = async (key: Key, change: Write["change"]) => {
    const { outcome } = await table.write({ step: "history", key, when: [], change });
    // The stream delivers the change again, and each of these writes can be repeated.
    if (outcome !== "done") throw new UnavailableError("a write of the history got no answer");
  };
  const put = (item: Item) => write(item, { kind: "put", item });

  return {
    async readHolder(space: string, address: string): Promise<Holder | undefined> {
      const item = await table.get(holderKey(space, address));
      return item && { token: textOf(item, "token"), detail: JSON.parse(textOf(item, "detail")) };
    },

    putHolder: (space: string, { token, detail }: Holder) =>
      put({ ...holderKey(space, detail.address), token, detail: JSON.stringify(detail) }),

    deleteHolder: (space: string, address: string) =>
      write(holderKey(space, address), { kind: "delete" }),

    /** Returns the entry of an event if it was written before. */
    async readEntry(subject: Subject, position: EntryPosition): Promise<Entry | undefined> {
      const item = await table.get(entryKey(subject, position));
      return item && eventIn(item);
    },

    /** Returns the writes that put one event into histories. */
    entriesOf(
      {
        position,
        text,
        untilMs,
      }: {
        readonly position: EntryPosition;
        /** The body of the event as JSON. */
        readonly text: string;
        readonly untilMs: number;
      },
      subjects: readonly Subject[],
    ): readonly (() => Promise<void>)[] {
      const sk = entrySk(position);
      const fields = { event: text, [EXPIRES]: secondOf(untilMs) };
      return subjects.map((subject) => () => put({ pk: subjectPk(subject), sk, ...fields }));
    },

    /**
     * Returns a page of the entries of one or more histories, the newest first. It ends after a number of bytes. Expired
     * entries that DynamoDB has not deleted yet are left out.
     */
    async listEntries(
      subjects: readonly Subject[],
      { after, limit, nowMs }: PageWanted<string> & { readonly nowMs: number },
    ): Promise<Page<Entry, string>> {
      const items: Entry[] = [];
      let bytes = 0;
      let last = after;
      for (let read = 0; read < limit; ) {
        const wanted = Math.min(limit - read, ENTRIES_PER_READ);
        const some = await entriesAfter(table, subjects, { after: last, limit: wanted });
        for (const item of some) {
          read++;
          last = item.sk;
          if (numberOf(item, EXPIRES) <= secondOf(nowMs)) continue;
          items.push(eventIn(item));
          bytes += Buffer.byteLength(textOf(item, "event"));
          if (bytes > PAGE_BYTES_MAX) return { items, next: last };
        }
        if (some.length < wanted) return { items };
      }
      return { items, next: last };
    },

    /**
     * Keeps an allocation that has a new part. An address may be released, and its allocation deleted, before its
     * assignment is told. The change that wrote the part comes before that of the slot, or in another shard.
     */
    async putCopy({ key, after, atMs }: ItemChange): Promise<void> {
      if (!after) return;
      const { pk: _, sk: __, ...copy } = after;
      await put({ ...copyKey(key, after), copy, [EXPIRES]: secondOf(atMs + COPY_KEPT_MS) });
    },

    /**
     * Returns the copies of allocations of a partition whose ids have this start, or of all of them. One that this version cannot read
     * is left out: it must not hold up what the others tell.
     */
    async listCopies(
      space: string,
      handleHash: string,
      start: AllocationStart | undefined,
    ): Promise<readonly Allocation[]> {
      const pk = allocationPk(space, handleHash);
      const page = start ? { prefix: allocationPrefix(start) } : {};
      const items = await table.query(copiesPk(pk), page);
      const copies = items.map(
        (item) => ({ ...mapOf(item, "copy"), pk, sk: idIn(item.sk) }) as Item,
      );
      return readEach(copies, allocationFrom).items;
    },
  };
}

/** Returns the first entries of all these histories after a key. They have one order, that of their keys. */
async function entriesAfter(
  table: Table,
  subjects: readonly Subject[],
  { after, limit }: PageWanted<string>,
): Promise<readonly Item[]> {
  const options = { before: AFTER_ENTRIES, consistent: false, limit };
  const found = await Promise.all(
    subjects.map((subject) =>
      table.query(subjectPk(subject), { ...options, ...(after !== undefined && { after }) }),
    ),
  );
  const items = found.flat().sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return items.slice(0, limit);
}

export type History = ReturnType<typeof historyItems>;

/** An event as `eventBody` returned it. */
export type Entry = Detail;

/** The place of an entry in a history. */
export type EntryPosition = Pick<DomainEvent, "sequence" | "type" | "atMs"> & {
  readonly address: string;
};

const holderKey = (space: string, address: string): Key => ({
  pk: subjectPk({ space, address }),
  sk: HOLDER_SK,
});

const subjectPk = (subject: Subject): string =>
  "address" in subject
    ? `ADDRESS#${escaped(subject.space)}#${subject.address}`
    : `HANDLE#${escaped(subject.space)}#${subject.handleHash}`;

const entryKey = (subject: Subject, position: EntryPosition): Key => ({
  pk: subjectPk(subject),
  sk: entrySk(position),
});

/** Returns the sort key of an entry. Later ones sort first: by time, and changes of one second by their sequence number. */
const entrySk = ({ atMs, sequence, address, type }: EntryPosition): string =>
  `${counted(String(atMs).padStart(TIME_DIGITS, "0"))}#${counted(sequence)}#${address}#${type}`;

const TIME_DIGITS = 15;

/** Returns the digits that are left to nines, so that a greater number sorts first. */
function counted(digits: string): string {
  let left = "";
  for (const digit of digits) left += 9 - Number(digit);
  return left;
}

const copiesPk = (allocationPk: string): string => `COPY#${allocationPk}`;

/** Returns the key of a copy. A request that began anew has other parts, so each revision has a copy of its own. */
const copyKey = ({ pk, sk }: Key, item: Item): Key => ({
  pk: copiesPk(pk),
  sk: `${sk}#${textOf(item, "revision")}`,
});

const idIn = (sk: string): string => sk.split("#").slice(0, 2).join("#");

const eventIn = (item: Item): Entry => JSON.parse(textOf(item, "event")) as Entry;

const secondOf = (ms: number): number => Math.ceil(ms / 1000);
