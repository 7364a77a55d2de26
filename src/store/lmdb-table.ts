import { type Outcome, UnavailableError } from "../base/outcome.ts";
import { type ChangeFeed, ChangeLog, leavesAsIs, NO_SEQUENCE } from "../table/change-log.ts";
import { isMet } from "../table/clause.ts";
import { asAsked, changed, outcomeItem, queried } from "../table/in-memory-table.ts";
import type { Item, Key } from "../table/item.ts";
import type { NumberedWrite } from "../table/kept-commit.ts";
import type { Environment, Replacement } from "../table/lmdb-environment.ts";
import type {
  DueKey,
  DueOptions,
  ItemPage,
  QueryOptions,
  ScanOptions,
  Table,
  Write,
} from "../table/table.ts";
import { eachCall } from "./stack.ts";

/**
 * A table in a file of this machine. It judges writes in the order of their arrival, by the newest
 * state. Writes go to the disk in groups: while one group is on its way, the next one gathers. The
 * groups reach the disk in their order, so a crash loses the last writes and never an earlier one.
 *
 * A call returns before the disk has what it reports: a write that was done, the item that made a
 * write fail, or the items of a read. So the writes of a request share a flush. Whoever tells
 * somebody outside of this process waits for `onDisk` first.
 */
export class LmdbTable implements Table {
  /**
   * Resolves with the reason if a group could not be written. The state of the disk is then
   * unknown, and the table serves no more calls.
   */
  readonly lost: Promise<string>;
  /**
   * The changes that nobody has published yet. They are in the file with their writes, so a crash
   * loses none.
   */
  readonly feed: ChangeFeed;
  readonly #environment: Environment;
  readonly #log: ChangeLog | undefined;
  #say!: (reason: string) => void;
  #failure: string | undefined;
  /** The group on its way to the disk. */
  #leaving: Group | undefined;
  /** The group that goes next. */
  #gathering = new Group();

  /** @param now the time of changes that are kept for a publisher; without it none are kept */
  constructor(environment: Environment, now?: () => number) {
    this.#environment = environment;
    this.#log = now && new ChangeLog(now, environment.lastSequence);
    let forgotten = NO_SEQUENCE;
    this.feed = {
      first: (limit) => this.#working().changes(forgotten, limit),
      forget: (upTo) => {
        forgotten = upTo;
        return this.#working().forget(upTo);
      },
    };
    this.lost = new Promise((resolve) => {
      this.#say = resolve;
    });
  }

  async get(key: Key): Promise<Item | undefined> {
    return this.#newest(key);
  }

  async query(pk: string, options: QueryOptions = {}): Promise<readonly Item[]> {
    const waiting = this.#waitingIn(pk);
    if (waiting.size === 0) return asAsked(this.#working().query(pk, options), options);
    // Each pending write can replace one of the first items, so the read asks for that many more.
    const { limit } = options;
    const further = limit === undefined ? {} : { limit: limit + waiting.size };
    const items = this.#working().query(pk, { ...options, ...further });
    const current = items.filter(({ sk }) => !waiting.has(sk));
    const coming = [...waiting.values()].flatMap(({ to }) => (to ? [to] : []));
    return queried([...current, ...coming], options);
  }

  /**
   * Scans once the writes so far are on the disk. A file has one segment, because one process walks
   * it.
   */
  async scan(limit: number, { after, segment }: ScanOptions = {}): Promise<ItemPage> {
    if (segment !== undefined && segment.index > 0) return { items: [] };
    await this.onDisk();
    const found = this.#working().scan(limit + 1, after);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return found.length > limit && last ? { items, next: { pk: last.pk, sk: last.sk } } : { items };
  }

  async due(shard: string, options: DueOptions): Promise<readonly DueKey[]> {
    await this.onDisk();
    return this.#working().due(shard, options);
  }

  /**
   * Judges a write and applies it. Nothing waits in between, so of two writes the second is judged
   * by the result of the first.
   */
  async write({ key, when, change }: Write): Promise<Outcome<Item>> {
    const seen = this.#newest(key);
    if (!when.every((clause) => isMet(clause, seen))) return { outcome: "lost", item: seen };
    const item = changed(key, seen, change);
    const group = this.#gathering;
    if (group.isEmpty) this.#send();
    group.replace(key, seen, item);
    if (this.#log && !leavesAsIs(change, seen, item))
      group.kept.push({ key, change, ...this.#log.next() });
    return { outcome: "done", item: outcomeItem(key, seen, item, change) };
  }

  /**
   * Waits until everything that calls have reported is on the disk.
   *
   * @throws {UnavailableError} if it did not get there
   */
  async onDisk(): Promise<void> {
    await this.#newestGroup()?.onDisk;
    this.#working();
  }

  /** Waits for the groups on their way, and closes the file. */
  async close(): Promise<void> {
    for (let group = this.#newestGroup(); group; group = this.#newestGroup()) await group.onDisk;
    this.#failure ??= "it is closed";
    await this.#environment.close();
  }

  /** Returns the newest item at a key. */
  #newest(key: Key): Item | undefined {
    for (const group of [this.#gathering, this.#leaving]) {
      const waiting = group?.partitions.get(key.pk)?.get(key.sk);
      if (waiting) return waiting.to;
    }
    return this.#working().get(key);
  }

  #waitingIn(pk: string): ReadonlyMap<string, Replacement> {
    const [earlier, later] = [this.#leaving, this.#gathering].map((group) =>
      group?.partitions.get(pk),
    );
    return new Map([...(earlier ?? []), ...(later ?? [])]);
  }

  #newestGroup(): Group | undefined {
    return [this.#gathering, this.#leaving].find((group) => group && !group.isEmpty);
  }

  #working(): Environment {
    if (this.#failure !== undefined)
      throw new UnavailableError(`the table can be used no more: ${this.#failure}`);
    return this.#environment;
  }

  /**
   * Sends the gathering group once the event loop has handled all waiting calls and no other group
   * is on its way.
   */
  #send(): void {
    if (this.#leaving) return;
    setImmediate(async () => {
      const group = this.#gathering;
      this.#leaving = group;
      this.#gathering = new Group();
      try {
        await this.#environment.commit(group.replacements(), group.kept);
        this.#leaving = undefined;
        group.settle();
        if (!this.#gathering.isEmpty) this.#send();
      } catch (error) {
        this.#fail(error as Error, group);
      }
    });
  }

  /**
   * Fails a group, and the group that was judged by its writes. Nobody was told of either.
   */
  #fail({ message }: Error, group: Group): void {
    this.#failure = message;
    this.#leaving = undefined;
    group.settle();
    this.#gathering.settle();
    this.#gathering = new Group();
    this.#say(message);
  }
}

/** Returns a table whose calls return only after the disk has what they report. */
export const flushedTable = (table: LmdbTable): Table =>
  eachCall(table, async (call) => {
    const told = await call();
    await table.onDisk();
    return told;
  });

/** Writes that go to the disk together: the final replacement of each key, and every write. */
class Group {
  /** The writes that changed something, for a publisher. */
  readonly kept: NumberedWrite[] = [];
  readonly partitions = new Map<string, Map<string, Replacement>>();
  /** Resolves when the group has reached the disk, or has failed. */
  readonly onDisk: Promise<void>;
  settle!: () => void;

  constructor() {
    this.onDisk = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  get isEmpty(): boolean {
    return this.partitions.size === 0;
  }

  replace({ pk, sk }: Key, seen: Item | undefined, to: Item | undefined): void {
    const partition = this.partitions.get(pk) ?? new Map<string, Replacement>();
    this.partitions.set(pk, partition);
    const from = partition.has(sk) ? partition.get(sk)?.from : seen;
    partition.set(sk, { key: { pk, sk }, from, to });
  }

  replacements(): readonly Replacement[] {
    return [...this.partitions.values()].flatMap((partition) => [...partition.values()]);
  }
}
