import { type Cidr, formatCidr } from "../../net/cidr.ts";
import type { Application } from "../../nouns/application/application.ts";
import type { NamespaceSpec } from "../../nouns/namespace/namespace.ts";
import type { SignOfLife } from "../../nouns/node/node-report.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import type { BudgetPiece, GiveBackMark } from "../../nouns/quota/budget.ts";
import type { RequestPiece } from "../../nouns/quota/quota.ts";
import type { Block } from "../values/block.ts";
import type { HostId } from "../values/host.ts";

/** The most blocks in the warm cache. A full block of 64 takes about 9 KB of memory, a block group or a space far less. */
export const REMEMBERED_BLOCKS_MAX = 1_024;
export const REMEMBERED_BLOCKS_PER_HOST_MAX = 64;
export const REMEMBERED_GROUPS_MAX = 16_384;
export const REMEMBERED_SPACES_MAX = 256;
/** Nodes and namespaces, with at most 16 KB of labels each and mostly one. */
export const REMEMBERED_LABELS_MAX = 1_024;
/** Lease renewals that a function remembers. */
const REMEMBERED_LEASES_MAX = 16_384;
/** Budgets of quotas that a function remembers. */
const REMEMBERED_BUDGETS_MAX = 4_096;

/** The facts about a host or a namespace that selection needs. */
export type Registered = NamespaceSpec;

/** A copy of a space's configuration, and until when it may be used unasked. */
export interface CachedConfiguration {
  readonly configuration: SpaceConfiguration;
  /** Absent when it was not read before the configuration was: then the first question reloads. */
  readonly version?: { readonly value: string | undefined };
  readonly loadedAtMs: number;
  readonly freshUntilMs: number;
}

/**
 * The data that a warm function remembers from its last calls. Plat trusts none of it: if a block has changed, the
 * conditional write fails and returns the current block.
 */
export class WarmCache {
  readonly #configurations = new LeastRecentlyUsed<CachedConfiguration>(REMEMBERED_SPACES_MAX);
  /** The number of drops; a load that began before a drop is not kept after it. */
  drops = 0;
  /** Loads in progress, so that parallel requests read once. */
  readonly loading = new Map<
    string,
    { readonly beganAtMs: number; readonly load: Promise<SpaceConfiguration> }
  >();
  /** Hosts and namespaces; nothing for unregistered ones. */
  readonly registered = new CachedReads<Registered | undefined>(REMEMBERED_LABELS_MAX);
  /** Applications by `applicationCopy`; nothing for workloads without one. */
  readonly applications = new CachedReads<Application | undefined>(REMEMBERED_LABELS_MAX);
  /** The blocks from which the instances of an application took, by `applicationCopy` and their text. */
  readonly #ofApplications = new LeastRecentlyUsed<Map<string, Block>>(REMEMBERED_BLOCKS_MAX);
  /** The Lease of each node as this function knows it. */
  readonly leases = new LeastRecentlyUsed<SignOfLife>(REMEMBERED_LEASES_MAX);
  /** The requests that this function may serve in the current second, by space and quota. */
  readonly requestPieces = new LeastRecentlyUsed<RequestPiece>(REMEMBERED_BUDGETS_MAX);
  /** The pieces of the budgets of quotas that this function may still assign. */
  readonly budgetPieces = new LeastRecentlyUsed<BudgetPiece>(REMEMBERED_BUDGETS_MAX);
  /** The states of this function that gives back to budgets, by space, quota and what they count. */
  readonly givingBack = new LeastRecentlyUsed<GivingBack>(REMEMBERED_BUDGETS_MAX);
  readonly #groups = new LeastRecentlyUsed<true>(REMEMBERED_GROUPS_MAX);
  readonly #borrowedBlocks = new LeastRecentlyUsed<string>(REMEMBERED_GROUPS_MAX);
  /**
   * The blocks of a host by their text. All of them are dropped together, when the host is the least recently used one.
   */
  readonly #hosts = new LeastRecentlyUsed<Map<string, Block>>(REMEMBERED_BLOCKS_MAX);

  /** The block from which a host took last, for each ranged pool. */
  readonly #shared = new LeastRecentlyUsed<Map<string, Block>>(REMEMBERED_BLOCKS_MAX);

  configurationOf(space: string): CachedConfiguration | undefined {
    return this.#configurations.get(space);
  }

  keepConfiguration(space: string, copy: CachedConfiguration): void {
    this.#configurations.set(space, copy);
  }

  dropConfiguration(space: string): void {
    this.#configurations.delete(space);
    this.loading.delete(space);
    this.drops++;
  }

  /** Returns true if the block group is known to be in the index of its pool. */
  knowsGroup(name: string): boolean {
    return this.#groups.get(name) === true;
  }

  rememberGroup(name: string): void {
    this.#groups.set(name, true);
  }

  /** Returns true if the host's borrowed-block entry for this block is known to exist. A new epoch forgets it. */
  knowsBorrowedBlock(host: HostId, { space, cidr, epoch }: Block): boolean {
    return this.#borrowedBlocks.get(`${hostKey(space, host)}#${formatCidr(cidr)}`) === epoch;
  }

  rememberBorrowedBlock(host: HostId, { space, cidr, epoch }: Block): void {
    this.#borrowedBlocks.set(`${hostKey(space, host)}#${formatCidr(cidr)}`, epoch);
  }

  blocksOf(space: string, host: HostId): readonly Block[] {
    return [...(this.#hosts.get(hostKey(space, host))?.values() ?? [])];
  }

  /**
   * Keeps a block of a host. A block without a host is never preferred, so it is not kept. Of a host with many blocks
   * the first one is dropped: it most likely has no room left, and no host may use the memory of all others.
   */
  remember(block: Block): void {
    if (block.host === undefined) return;
    const key = hostKey(block.space, block.host);
    const blocks = this.#hosts.get(key) ?? new Map<string, Block>();
    blocks.set(formatCidr(block.cidr), block);
    const [first] = blocks.keys();
    if (blocks.size > REMEMBERED_BLOCKS_PER_HOST_MAX) blocks.delete(first as string);
    this.#hosts.set(key, blocks, blocks.size);
  }

  /** Returns the block of a ranged pool from which a host took last. */
  sharedBlockOf(host: HostId, pool: Pool): Block | undefined {
    const block = this.#shared.get(hostKey(pool.space, host))?.get(pool.name);
    // The block may be of an earlier pool of this name.
    return block?.poolId === subnetIdOf(pool) ? block : undefined;
  }

  /** Returns true if the host took from a block of a ranged pool. */
  knowsShared(space: string, host: HostId): boolean {
    return this.#shared.get(hostKey(space, host)) !== undefined;
  }

  /** Keeps a block of a ranged pool as a host saw it last, or drops it if it is gone. */
  rememberShared(host: HostId, pool: string, learned: Block, now: Block | undefined): void {
    const key = hostKey(learned.space, host);
    const blocks = this.#shared.get(key) ?? new Map<string, Block>();
    if (now?.poolId === learned.poolId) blocks.set(pool, now);
    else blocks.delete(pool);
    if (blocks.size > 0) this.#shared.set(key, blocks, blocks.size);
    else this.#shared.delete(key);
  }

  /** Returns the blocks from which instances of an application took, by their text. */
  blocksOfApplication(copy: string): ReadonlyMap<string, Block> {
    return this.#ofApplications.get(copy) ?? new Map();
  }

  /** Keeps a block as an instance of an application saw it last, or drops it if it is gone. */
  rememberOfApplication(copy: string, cidr: Cidr, now: Block | undefined): void {
    const blocks = this.#ofApplications.get(copy) ?? new Map<string, Block>();
    blocks.delete(formatCidr(cidr));
    if (now) blocks.set(formatCidr(cidr), now);
    const [first] = blocks.keys();
    if (blocks.size > REMEMBERED_BLOCKS_PER_HOST_MAX) blocks.delete(first as string);
    if (blocks.size > 0) this.#ofApplications.set(copy, blocks, blocks.size);
    else this.#ofApplications.delete(copy);
  }

  /** Keeps a block as a release saw it, if this function assigns from it. */
  refresh(block: Block): void {
    const known = block.host && this.#hosts.get(hostKey(block.space, block.host));
    if (known?.has(formatCidr(block.cidr))) this.remember(block);
  }

  forget(space: string, host: HostId, cidr: Cidr): void {
    const key = hostKey(space, host);
    const blocks = this.#hosts.get(key);
    if (!blocks?.delete(formatCidr(cidr))) return;
    if (blocks.size > 0) this.#hosts.set(key, blocks, blocks.size);
    else this.#hosts.delete(key);
  }
}

const hostKey = (space: string, host: HostId) => `${space}#${host}`;

/** Keeps values by name, up to a maximum of weight; evicts the least recently used entries first. */
export class LeastRecentlyUsed<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly weight: number }>();
  readonly #weightMax: number;
  #weight = 0;

  constructor(weightMax: number) {
    this.#weightMax = weightMax;
  }

  /** Returns a value and marks it as used. */
  get(name: string): T | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.value;
  }

  set(name: string, value: T, weight = 1): void {
    this.delete(name);
    this.#entries.set(name, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#weightMax) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#weight -= this.#entries.get(name)?.weight ?? 0;
    this.#entries.delete(name);
  }
}

interface Copy<T> {
  readonly value: Promise<T>;
  readonly freshUntilMs: number;
}

/**
 * Copies of read items, each with the time until which it may be used without a check. A copy may still be loading, so
 * that parallel requests read once. A copy that is dropped while it loads reaches only the requests that already wait
 * for it.
 */
class CachedReads<T> {
  readonly #copies: LeastRecentlyUsed<Copy<T>>;

  constructor(countMax: number) {
    this.#copies = new LeastRecentlyUsed(countMax);
  }

  /** Returns the value under a name; nothing if it is too old, or was never read. */
  of(name: string, nowMs: number): Promise<T> | undefined {
    const copy = this.#copies.get(name);
    return copy && nowMs < copy.freshUntilMs ? copy.value : undefined;
  }

  keep(name: string, value: Promise<T>, freshUntilMs: number): void {
    const copy = { value, freshUntilMs };
    this.#copies.set(name, copy);
    // Drops a failed read, so that the next request reads again.
    value.catch(() => {
      if (this.#copies.get(name) === copy) this.#copies.delete(name);
    });
  }

  drop(name: string): void {
    this.#copies.delete(name);
  }
}

/**
 * The state of a function that gives back to one budget: by one write at a time, in a lane that no other function uses if it can be
 * helped. What is to be given back meanwhile waits for the next write.
 */
export interface GivingBack {
  /** The lane, with the mark that it is expected to have: that of the last write of this function. */
  place: Pick<GiveBackMark, "lane" | "seen">;
  /** The beginning of the marks of this function. */
  readonly name: string;
  /** The number of marks so far. */
  marks: number;
  /** Settles when no write is under way. It never rejects. */
  underWay: Promise<unknown>;
  /** The charges that wait for a write, by round. */
  readonly waiting: Map<string, Waiting>;
}

interface Waiting {
  count: number;
  /** Settles with the write that has it. */
  readonly given: Promise<void>;
}
