import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import type { CorruptItemError } from "../../base/outcome.ts";
import { lookForOwners } from "../../kernel/allocations/allocation-of-slot.ts";
import type { Context } from "../../kernel/core/context.ts";
import { LeastRecentlyUsed } from "../../kernel/core/warm-cache.ts";
import type { Block } from "../../kernel/values/block.ts";
import type { HostId } from "../../kernel/values/host.ts";
import { formatCidr } from "../../net/cidr.ts";

/** Blocks whose slot holders the walk remembers, so that it reads them once for all borrowed-block entries of a block. */
const BORROWED_BLOCKS_KNOWN_MAX = 64;

/** The known owners of a block's slots, by token. Reads of a block come one after the other. */
interface Known {
  readonly hosts: Map<string, HostId>;
  last: Promise<unknown>;
}

/**
 * Returns the hosts that hold slots of blocks, for callers that ask about many hosts of one block. A token belongs to
 * one allocation, and that to one host, forever. So it reads each allocation once, and judges a changed block by its
 * current slots. The allocation of an instance may name another host any time, so it is read again for each question.
 */
export class Holders {
  readonly #context: Context;
  readonly #blocks = new LeastRecentlyUsed<Known>(BORROWED_BLOCKS_KNOWN_MAX);

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Returns true if the host holds a slot of the block as it was seen, whoever owns the block.
   *
   * @throws {CorruptItemError}
   */
  async hold(host: HostId, block: Block): Promise<boolean> {
    const name = `${block.space}#${formatCidr(block.cidr)}`;
    const known = this.#blocks.get(name) ?? { hosts: new Map(), last: Promise.resolve() };
    this.#blocks.set(name, known);
    const look = known.last.then(() => this.#look(host, block, known.hosts));
    known.last = Promise.allSettled([look]);
    return look;
  }

  async #look(host: HostId, block: Block, hosts: Map<string, HostId>): Promise<boolean> {
    const taken = [...block.slots.values()].filter((slot) => slot.kind === "taken");
    if (taken.some(({ token }) => hosts.get(token) === host)) return true;
    const unknown = new Map(taken.map((slot) => [slot.token, slot]));
    for (const token of hosts.keys()) unknown.delete(token);
    const slots = [...unknown.values()];
    let failure: CorruptItemError | undefined;
    for (let from = 0; from < slots.length; from += PAGE_READS_AT_ONCE) {
      const some = slots.slice(from, from + PAGE_READS_AT_ONCE);
      const { owners, unreadable } = await lookForOwners(this.#context, block.space, some);
      for (const [token, { allocation }] of owners)
        if (!allocation.workload) hosts.set(token, allocation.host);
      if ([...owners.values()].some(({ allocation }) => allocation.host === host)) return true;
      failure ??= unreadable[0];
    }
    // Keeps what is known of the other slots: the next question about this block reads only the unreadable one.
    if (failure) throw failure;
    return false;
  }
}
