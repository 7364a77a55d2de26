import { Rejection } from "../../base/outcome.ts";
import { formatCidr } from "../../net/cidr.ts";
import type { HostId } from "../values/host.ts";
import type { SlotSelection } from "./selection.ts";

/**
 * The slots that the requests of one batch have selected and not taken yet. So no two of them select the same slot, a host does
 * not claim a block for each, and the write of a block can wait for all that selected from it.
 */
export class BatchSelections {
  readonly #selected = new Map<object, readonly SlotSelection[]>();
  readonly #turns = new Map<HostId, Promise<unknown>>();
  /** The executions that have selected from a block and have not come to its write yet, by block. */
  readonly #onTheWay = new Map<string, Set<object>>();
  readonly #waiting = new Map<string, () => void>();

  /**
   * Selects for one execution after all that wait for the same host.
   *
   * @param select returns slots beside those of the others
   */
  async select(
    execution: object,
    host: HostId,
    select: (others: readonly SlotSelection[]) => Promise<readonly SlotSelection[] | Rejection>,
  ): Promise<readonly SlotSelection[] | Rejection> {
    const turn = async () => {
      const selected = await select([...this.#selected.values()].flat());
      if (!(selected instanceof Rejection)) this.#note(execution, selected);
      return selected;
    };
    const before = this.#turns.get(host) ?? Promise.resolve();
    // One that failed does not keep the next from its turn.
    const own = before.then(turn, turn);
    this.#turns.set(host, own);
    return own;
  }

  #note(execution: object, selected: readonly SlotSelection[]): void {
    this.#selected.set(execution, selected);
    for (const { block } of selected) {
      const name = formatCidr(block.cidr);
      const executions = this.#onTheWay.get(name) ?? new Set();
      this.#onTheWay.set(name, executions.add(execution));
    }
  }

  /**
   * Says that an execution has come to the writes of the blocks that it selected from, or that it never will. It must do so before it
   * waits for any slot write, because that write may wait for it.
   */
  arrive(execution: object): void {
    for (const { block } of this.#selected.get(execution) ?? []) {
      const name = formatCidr(block.cidr);
      const executions = this.#onTheWay.get(name);
      if (!executions?.delete(execution) || executions.size > 0) continue;
      this.#onTheWay.delete(name);
      this.#waiting.get(name)?.();
      this.#waiting.delete(name);
    }
  }

  /** Returns when nobody is on the way to the write of a block; nothing if nobody is now. One write of a block waits at a time. */
  gathered(block: string): Promise<void> | undefined {
    if (!this.#onTheWay.has(block)) return undefined;
    return new Promise((resolve) => {
      this.#waiting.set(block, resolve);
    });
  }

  /**
   * Forgets what an execution selected: its slots are taken, or it takes none of them. It must do so before the execution selects again,
   * or that would find its own choice taken.
   */
  forget(execution: object): void {
    this.arrive(execution);
    this.#selected.delete(execution);
  }
}
