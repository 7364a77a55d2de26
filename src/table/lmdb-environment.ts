import { randomInt } from "node:crypto";
import { closeSync, openSync, readSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import { type ItemChange, NO_SEQUENCE } from "./change-log.ts";
import { TABLE } from "./definition.ts";
import type { Item, Key } from "./item.ts";
import { changesIn, type KeptCommit, keptCommit, type NumberedWrite } from "./kept-commit.ts";
import { duePlace, dueRange, dueTime, itemPlace, justAfter, partitionRange } from "./lmdb-key.ts";
import type { DueKey, DueOptions, QueryOptions } from "./table.ts";

/** The room on its disk below which a laptop's table takes no further write. A group of writes and a batch of events are smaller. */
export const DISK_FREE_BYTES_MIN = 32 * 1_024 * 1_024;

/** A change of one key in a commit: the item on the disk, and the new one; nothing for none. */
export interface Replacement {
  readonly key: Key;
  readonly from: Item | undefined;
  readonly to: Item | undefined;
}

/**
 * The part of LMDB that a table needs. Reads are synchronous, and can see writes that are not on
 * the disk yet.
 */
export interface Environment {
  get(key: Key): Item | undefined;
  query(pk: string, options: QueryOptions): readonly Item[];
  /**
   * Returns the first `limit` items in the order of their keys, after one of them or from the
   * start.
   */
  scan(limit: number, after: Key | undefined): readonly Item[];
  due(shard: string, options: DueOptions): readonly DueKey[];
  /** Returns the first kept changes after a number. */
  changes(after: string, limit: number): readonly ItemChange[];
  /**
   * Makes all of these replacements or none, and keeps the writes that led to them. Resolves when
   * they are on the disk.
   *
   * @throws if another server has taken over the file, or no space is left; then none was made
   */
  commit(replacements: readonly Replacement[], kept: readonly NumberedWrite[]): Promise<void>;
  /** Removes the kept changes up to a number. A commit stays until all of its changes may go. */
  forget(upTo: string): Promise<void>;
  /** The number of the last change that was ever kept. */
  readonly lastSequence: string;
  close(): Promise<void>;
}

type Reads = Omit<Environment, "commit" | "forget" | "lastSequence">;

/**
 * The name of the file's contents and of their layout. A change of keys, values or databases must
 * change it.
 */
const FORMAT = "plat-table-3";
const FORMAT_KEY = Buffer.from("format");
const ITEMS = "items";
const CHANGES = "changes";
/** The key of the last change's number, which outlives the change. */
const LAST_KEY = Buffer.from("last");
const OWNER = "owner";
const OWNER_KEY = Buffer.from("owner");
/**
 * The largest number that is drawn evenly. It passes through a double, as versions in the library
 * do.
 */
const OWNER_MAX = 2 ** 48 - 1;

/**
 * The option that makes a commit visible once it is on the disk, and not before. LMDB itself has
 * this order: pages, then the page that names them. The library would show a commit earlier, and
 * sync beside the next one.
 */
const DURABLE = { overlappingSync: false } as const;
/**
 * The options that return sets and bytes as they were stored, and encode each object independently
 * of earlier ones.
 */
const ENCODER = { moreTypes: true, useRecords: false } as const;

/**
 * The file cannot serve as the table of this process. The message is a sentence for the terminal.
 */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
}

/**
 * Opens a file as a table, or creates it. The file belongs to one process at a time.
 *
 * @param lmdb the library; the caller loads it, because it needs a binary of the platform
 * @param freeBytes tells the room on the disk; by default the room that there is
 * @throws {UnusableFile}
 */
export async function openEnvironment(
  { open }: Pick<typeof import("lmdb"), "open">,
  path: string,
  freeBytes: FreeBytes = freeBytesAt,
): Promise<Environment> {
  const whyFull = () => problemOfRoom(freeBytes(dirname(path)));
  const root = opened(open, path, whyFull);
  try {
    await claim(root, path);
    const databases = databasesOf(root);
    // Two processes that start at the same moment can both pass the first check. In the second
    // check, one sees the other.
    expectAlone(root, path);
    return environment(databases, await takeOwnership(root), whyFull);
  } catch (error) {
    await root.close();
    throw error;
  }
}

/** Returns the bytes that are free on the disk of a directory. */
export type FreeBytes = (directory: string) => number;

function freeBytesAt(directory: string): number {
  const { blocks, bavail, bsize } = statfsSync(directory);
  // Some file systems do not tell their size.
  return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
}

/**
 * Returns the reason why a disk takes no further writes; nothing if it takes them. The library
 * prints its own stack when the disk is full, and crashes the process if not even its lock file has
 * room. So Plat stops before that.
 */
const problemOfRoom = (free: number): string | undefined =>
  free < DISK_FREE_BYTES_MIN
    ? `no space is left on its disk, which has ${free} bytes free and needs ${DISK_FREE_BYTES_MIN}`
    : undefined;

/**
 * Opens a file for reading that another thread of this process has opened as a table. What that
 * thread commits is visible as soon as it is on the disk.
 *
 * @param forget asks the other thread to remove kept changes
 */
export const readEnvironment = (
  { open }: Pick<typeof import("lmdb"), "open">,
  path: string,
  forget: Environment["forget"],
): Environment => ({
  ...reads(databasesOf(opened(open, path))),
  forget,
  commit: async () => {
    throw new Error("the file is open for reading");
  },
  lastSequence: NO_SEQUENCE,
});

/**
 * Carries out writes in a transaction of their own if this process still owns the file. Returns
 * true if it does.
 */
type WhileOwned = (writes: () => void) => Promise<boolean>;

/**
 * Makes this process the owner of the file. Two containers that share a volume can have processes
 * of the same number, so each owner draws a number. The number is in the file as the version of an
 * entry, and the library compares it inside the transaction that writes.
 */
async function takeOwnership(root: RootDatabase<string, Uint8Array>): Promise<WhileOwned> {
  const owners = root.openDB<string, Uint8Array>({
    name: OWNER,
    keyEncoding: "binary",
    useVersions: true,
  });
  const owner = randomInt(1, OWNER_MAX);
  await owners.put(OWNER_KEY, OWNER, owner);
  return (writes) => owners.ifVersion(OWNER_KEY, owner, writes);
}

/** The options that the library passes to its encoder; its types lack them. */
const encoding: object = { encoder: ENCODER };

function opened(
  open: typeof import("lmdb")["open"],
  path: string,
  whyFull: () => string | undefined = () => undefined,
): RootDatabase<string, Uint8Array> {
  try {
    const full = whyFull();
    if (full !== undefined) throw new Error(full);
    expectDatabase(path);
    return open<string, Uint8Array>({ path, noSubdir: true, keyEncoding: "binary", ...DURABLE });
  } catch (cause) {
    if (cause instanceof UnusableFile) throw cause;
    throw new UnusableFile(`${path} cannot be opened: ${(cause as Error).message}.`, { cause });
  }
}

/**
 * The magic number in the first page of the library's files. The library crashes the process on
 * other files.
 */
const MAGIC = { at: 24, bytes: Buffer.of(0xde, 0xc0, 0xef, 0xbe) };

function expectDatabase(path: string): void {
  const head = Buffer.alloc(MAGIC.at + MAGIC.bytes.length);
  const read = readHead(path, head);
  if (read > 0 && !head.subarray(MAGIC.at).equals(MAGIC.bytes))
    throw new UnusableFile(`${path} is not a database of Plat.`);
}

/** Reads the head of a file, and returns its number of bytes; none without a file. */
function readHead(path: string, head: Buffer): number {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
  try {
    return readSync(file, head);
  } finally {
    closeSync(file);
  }
}

/** Ensures that the file has this format, and that no other process has it open. */
async function claim(root: RootDatabase<string, Uint8Array>, path: string): Promise<void> {
  expectAlone(root, path);
  const isNew = root.getKeysCount({ limit: 1 }) === 0;
  if (isNew) await root.put(FORMAT_KEY, FORMAT);
  const format = isNew ? FORMAT : readFormat(root);
  if (format === FORMAT) return;
  throw new UnusableFile(
    format === undefined
      ? `${path} is a database of another program.`
      : `${path} has the format ${format}, and this version reads ${FORMAT}; start the version that wrote it.`,
  );
}

function readFormat(root: RootDatabase<string, Uint8Array>): string | undefined {
  try {
    const format = root.get(FORMAT_KEY);
    return typeof format === "string" ? format : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Throws if another process has the file open. A process is among the file's readers from its first
 * read on, until it closes the file or ends.
 */
function expectAlone(root: RootDatabase<string, Uint8Array>, path: string): void {
  root.doesExist(FORMAT_KEY);
  root.readerCheck();
  const readers = [...root.readerList().matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid));
  const other = readers.find((pid) => pid !== process.pid);
  if (other !== undefined) throw new UnusableFile(`${path} is in use by process ${other}.`);
}

interface Databases {
  readonly root: RootDatabase<string, Uint8Array>;
  readonly items: Database<Item, Uint8Array>;
  readonly due: Database<Key, Uint8Array>;
  /** The writes of commits, by the number of the last one. */
  readonly changes: Database<KeptCommit, Uint8Array>;
}

function databasesOf(root: RootDatabase<string, Uint8Array>): Databases {
  const named = <T>(name: string) =>
    root.openDB<T, Uint8Array>({ name, keyEncoding: "binary", ...encoding });
  return {
    root,
    items: named(ITEMS),
    due: named(TABLE.dueIndex.name),
    changes: named(CHANGES),
  };
}

function reads({ root, items, due, changes }: Databases): Reads {
  const values = <T>(database: Database<T, Uint8Array>, range: object): T[] =>
    Array.from(database.getRange(range), ({ value }) => value);
  // The types of the library lack the encoder.
  const { encoder } = items as unknown as { encoder: { decode(bytes: Uint8Array): Item } };

  return {
    get: (key) => items.get(itemPlace(key)),

    query: (pk, { limit, ...options }) =>
      values(items, { ...partitionRange(pk, options), ...(limit !== undefined && { limit }) }),

    scan: (limit, after) =>
      values(items, { limit, ...(after && { start: justAfter(itemPlace(after)) }) }),

    due: (shard, { untilMs, limit, after }) => {
      const { start, end } = dueRange(shard, untilMs);
      const from = after ? justAfter(duePlace(shard, after.dueAtMs, after)) : start;
      return Array.from(due.getRange({ start: from, end, limit }), ({ key, value }) => ({
        pk: value.pk,
        sk: value.sk,
        dueAtMs: dueTime(shard, key),
      }));
    },

    changes(after, limit) {
      const found: ItemChange[] = [];
      for (const { value } of changes.getRange({ start: justAfter(Buffer.from(after)) })) {
        const told = changesIn(value, (bytes) => encoder.decode(bytes));
        // The publisher may have ended within a commit.
        found.push(...told.filter(({ sequence }) => sequence > after));
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    },

    close: () => root.close(),
  };
}

function environment(
  databases: Databases,
  whileOwned: WhileOwned,
  whyFull: () => string | undefined,
): Environment {
  const { root, items, due, changes } = databases;
  return {
    ...reads(databases),

    lastSequence: root.get(LAST_KEY) ?? NO_SEQUENCE,

    async forget(upTo) {
      const end = justAfter(Buffer.from(upTo));
      await Promise.all(Array.from(changes.getKeys({ end }), (key) => changes.remove(key)));
    },

    async commit(replacements, kept) {
      const full = whyFull();
      if (full !== undefined) throw new Error(full);
      // The bytes of an item are copied as they are, because encoding them again costs more.
      const commit = keptCommit(kept, (key) => items.getBinary(itemPlace(key)));
      const last = kept.at(-1)?.sequence;
      const isOwned = await settled(
        whileOwned(() => {
          if (last !== undefined) {
            void changes.put(Buffer.from(last), commit);
            void root.put(LAST_KEY, last);
          }
          for (const { key, from, to } of replacements) {
            const place = itemPlace(key);
            if (to) void items.put(place, to);
            else void items.remove(place);
            const [left, entered] = [dueEntry(from), dueEntry(to)];
            if (left && !entered?.equals(left)) void due.remove(left);
            if (entered && !left?.equals(entered))
              void due.put(entered, { pk: key.pk, sk: key.sk });
          }
        }),
      );
      if (!isOwned) throw new Error("another server has taken the file over");
      await root.flushed;
    },
  };
}

/** Returns the place of an item in the due index, if it has one. */
function dueEntry(item: Item | undefined): Buffer | undefined {
  if (!item) return undefined;
  const { [TABLE.dueIndex.partitionKey]: shard, [TABLE.dueIndex.sortKey]: dueAt } = item;
  return typeof shard === "string" && typeof dueAt === "number"
    ? duePlace(shard, dueAt, item)
    : undefined;
}

/**
 * Waits for a commit. If it failed, it throws the reason, which the library gives in a second
 * promise.
 */
async function settled(commit: Promise<boolean>): Promise<boolean> {
  try {
    return await commit;
  } catch (error) {
    const { commitError } = error as { commitError?: Promise<never> };
    await commitError;
    throw error;
  }
}
