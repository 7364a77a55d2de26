import type { Block } from "../domain/block.ts";
import { type Cidr, formatCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import type { Labels } from "../domain/labels.ts";
import {
  REMEMBERED_BLOCKS_MAX,
  REMEMBERED_CELLS_MAX,
  REMEMBERED_LABELS_MAX,
  REMEMBERED_SPACES_MAX,
} from "../domain/limits.ts";
import type { SpaceConfiguration } from "../domain/pool.ts";
import { Copies } from "./copies.ts";

/** A copy of a space's configuration, and until when it may be used unasked. */
export interface ConfigurationCopy {
  readonly configuration: SpaceConfiguration;
  /** Absent when it was not read before the configuration was: then the first question reloads. */
  readonly version?: { readonly value: string | undefined };
  readonly loadedAtMs: number;
  readonly freshUntilMs: number;
}

/**
 * What a warm function remembers from its last calls. Nothing here is trusted: a block that changed meanwhile refuses the
 * write and comes back with the refusal.
 */
export class Memory {
  readonly #configurations = new Map<string, ConfigurationCopy>();
  /** How often a copy was dropped: a load that began before a drop is not kept after it. */
  drops = 0;
  /** Loads under way, so that requests served side by side ask once. */
  readonly loading = new Map<
    string,
    { readonly beganAtMs: number; readonly load: Promise<SpaceConfiguration> }
  >();
  /** Labels of hosts and namespaces; nothing where nobody registered them. */
  readonly labels = new Copies<Labels | undefined>(REMEMBERED_LABELS_MAX);
  readonly #cells = new Set<string>();
  readonly #loans = new Map<string, string>();
  readonly #hosts = new Map<string, Map<string, Block>>();
  #count = 0;

  configurationOf(space: string): ConfigurationCopy | undefined {
    return this.#configurations.get(space);
  }

  keepConfiguration(space: string, copy: ConfigurationCopy): void {
    if (this.#configurations.size >= REMEMBERED_SPACES_MAX) this.#configurations.clear();
    this.#configurations.set(space, copy);
  }

  dropConfiguration(space: string): void {
    this.#configurations.delete(space);
    this.loading.delete(space);
    this.drops++;
  }

  /** Is the cell known to be in its pool's map? */
  knowsCell(name: string): boolean {
    return this.#cells.has(name);
  }

  rememberCell(name: string): void {
    if (this.#cells.size >= REMEMBERED_CELLS_MAX) this.#cells.clear();
    this.#cells.add(name);
  }

  /** Is the host's loan of this block known to stand? It is judged anew at every epoch. */
  knowsLoan(host: HostId, { space, cidr, epoch }: Block): boolean {
    return this.#loans.get(`${hostKey(space, host)}#${formatCidr(cidr)}`) === epoch;
  }

  rememberLoan(host: HostId, { space, cidr, epoch }: Block): void {
    if (this.#loans.size >= REMEMBERED_CELLS_MAX) this.#loans.clear();
    this.#loans.set(`${hostKey(space, host)}#${formatCidr(cidr)}`, epoch);
  }

  blocksOf(space: string, host: HostId): readonly Block[] {
    return [...(this.#hosts.get(hostKey(space, host))?.values() ?? [])];
  }

  /** Keeps a block of a host; one that is nobody's is never preferred, so it is not kept. */
  remember(block: Block): void {
    if (block.host === undefined) return;
    const key = hostKey(block.space, block.host);
    const blocks = this.#hosts.get(key) ?? new Map<string, Block>();
    if (!blocks.has(formatCidr(block.cidr))) this.#count++;
    blocks.set(formatCidr(block.cidr), block);
    // Moved to the end: the host that was quiet longest is forgotten first.
    this.#hosts.delete(key);
    this.#hosts.set(key, blocks);
    while (this.#count > REMEMBERED_BLOCKS_MAX) {
      const [quietest, forgotten] = this.#hosts.entries().next().value as [
        string,
        Map<string, Block>,
      ];
      this.#hosts.delete(quietest);
      this.#count -= forgotten.size;
    }
  }

  /** What a release saw of a block: only worth keeping where this function assigns from it. */
  refresh(block: Block): void {
    const known = block.host && this.#hosts.get(hostKey(block.space, block.host));
    if (known?.has(formatCidr(block.cidr))) this.remember(block);
  }

  forget(space: string, host: HostId, cidr: Cidr): void {
    const key = hostKey(space, host);
    const blocks = this.#hosts.get(key);
    if (!blocks?.delete(formatCidr(cidr))) return;
    this.#count--;
    if (blocks.size === 0) this.#hosts.delete(key);
  }
}

const hostKey = (space: string, host: HostId) => `${space}#${host}`;
