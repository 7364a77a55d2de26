import { type Outcome, UnavailableError } from "../domain/outcome.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { ChangeLog, leavesAsIs, NO_SEQUENCE } from "./change-log.ts";
import type { NumberedWrite } from "./change-record.ts";
import { holds } from "./clause.ts";
import { asAsked, changed, outcomeOf, queried } from "./in-memory-table.ts";
import type { Item, Key } from "./item.ts";
import type { Environment, Replacement } from "./lmdb-environment.ts";
import type { DueKey, DueOptions, Page, QueryOptions, ScanOptions, Table, Write } from "./table.ts";

/**
 * A table in a file of this machine. It judges writes in the order of their arrival, by the newest
 * state. Writes go to the disk in groups: while one group is on its way, the next one gathers. An
 * answer leaves only after everything that it reports is on the disk. That is a write that was
 * done, the item that made a write fail, or the items of a read.
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
    const { item, group } = this.#newest(key);
    await this.#onDisk(group);
    return item;
  }

  async query(pk: string, options: QueryOptions = {}): Promise<readonly Item[]> {
    const waiting = this.#waitingIn(pk);
    if (waiting.size === 0) return asAsked(this.#working().query(pk, options), options);
    const group = this.#newestGroup((group) => group.partitions.has(pk));
    // Each pending write can replace one of the first items, so the read asks for that many more.
    const { limit } = options;
    const further = limit === undefined ? {} : { limit: limit + waiting.size };
    const items = this.#working().query(pk, { ...options, ...further });
    const current = items.filter(({ sk }) => !waiting.has(sk));
    const coming = [...waiting.values()].flatMap(({ to }) => (to ? [to] : []));
    await this.#onDisk(group);
    return queried([...current, ...coming], options);
  }

  /**
   * Scans without pending writes, because no answer has reported them yet. A file has one segment,
   * because one process walks it.
   */
  async scan(limit: number, { after, segment }: ScanOptions = {}): Promise<Page> {
    if (segment !== undefined && segment.index > 0) return { items: [] };
    const found = this.#working().scan(limit + 1, after);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    await this.#onDisk(this.#newestGroup());
    return found.length > limit && last ? { items, next: { pk: last.pk, sk: last.sk } } : { items };
  }

  async due(shard: string, options: DueOptions): Promise<readonly DueKey[]> {
    const keys = this.#working().due(shard, options);
    await this.#onDisk(this.#newestGroup());
    return keys;
  }

  /**
   * Judges a write and applies it. Nothing waits in between, so of two writes the second is judged
   * by the result of the first.
   */
  async write({ key, when, change }: Write): Promise<Outcome<Item>> {
    const seen = this.#newest(key);
    if (!when.every((clause) => holds(clause, seen.item))) {
      await this.#onDisk(seen.group);
      return { outcome: "lost", item: seen.item };
    }
    const item = changed(key, seen.item, change);
    const group = this.#gathering;
    if (group.isEmpty) this.#send();
    group.replace(key, seen.item, item);
    if (this.#log && !leavesAsIs(change, seen.item, item))
      group.kept.push({ key, change, ...this.#log.next() });
    const isDone = await group.onDisk;
    return isDone
      ? { outcome: "done", item: outcomeOf(key, seen.item, item, change) }
      : { outcome: "unknown" };
  }

  /** Waits for the groups on their way, and closes the file. */
  async close(): Promise<void> {
    for (let group = this.#newestGroup(); group; group = this.#newestGroup()) await group.onDisk;
    this.#failure ??= "it is closed";
    await this.#environment.close();
  }

  /** Returns the newest item at a key, and its group if it is not on the disk yet. */
  #newest(key: Key): { readonly item: Item | undefined; readonly group?: Group } {
    for (const group of [this.#gathering, this.#leaving]) {
      const waiting = group?.partitions.get(key.pk)?.get(key.sk);
      if (group && waiting) return { item: waiting.to, group };
    }
    return { item: this.#working().get(key) };
  }

  #waitingIn(pk: string): ReadonlyMap<string, Replacement> {
    const [earlier, later] = [this.#leaving, this.#gathering].map((group) =>
      group?.partitions.get(pk),
    );
    return new Map([...(earlier ?? []), ...(later ?? [])]);
  }

  #newestGroup(which: (group: Group) => boolean = () => true): Group | undefined {
    return [this.#gathering, this.#leaving].find(
      (group) => group && !group.isEmpty && which(group),
    );
  }

  async #onDisk(group: Group | undefined): Promise<void> {
    if (group && !(await group.onDisk)) this.#working();
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
        group.settle(true);
        if (!this.#gathering.isEmpty) this.#send();
      } catch (error) {
        this.#fail(error as Error, group);
      }
    });
  }

  /**
   * Fails a group, and the groups that were judged by its writes, because their outcome is unknown
   * too.
   */
  #fail({ message }: Error, group: Group): void {
    this.#failure = message;
    this.#leaving = undefined;
    group.settle(false);
    this.#gathering.settle(false);
    this.#gathering = new Group();
    this.#say(message);
  }
}

/** Writes that go to the disk together: the final replacement of each key, and every write. */
class Group {
  /** The writes that changed something, for a publisher. */
  readonly kept: NumberedWrite[] = [];
  readonly partitions = new Map<string, Map<string, Replacement>>();
  /** Resolves to true if the group reached the disk, else to false. */
  readonly onDisk: Promise<boolean>;
  settle!: (isDone: boolean) => void;

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
