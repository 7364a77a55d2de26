import { handleHash } from "../../src/base/hash.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import { ciliumHandle } from "../../src/kernel/values/handle.ts";
import { isReleased } from "../../src/kernel/values/slot.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt } from "../../src/net/cidr.ts";
import { cidrName } from "./cidr-name.ts";
import type { Step } from "./scheduler.ts";

type Judged = Pick<Contents, "blocks"> & Partial<Pick<Contents, "ciliumReports">>;

/**
 * Watches every slot of every block from step to step. A released slot must not be taken before its cooldown
 * is over, nor held for an application (I9), also if its block goes meanwhile. What an application holds again was its own throughout.
 */
export class Cooldowns {
  readonly violations: Violation[] = [];
  readonly #cooldownMs: number;
  /** The last release time of each address, by block and ordinal; it outlives the block. */
  readonly #releasedAtMs = new Map<string, number>();
  /**
   * What each agent said that it uses, by the handle of its node. It has that also while it cools, because a pod has it by then. A PUT
   * may take it after another request has deleted the report of the node.
   */
  readonly #used = new Set<string>();
  #before = new Map<string, Block>();

  constructor(cooldownMs: number) {
    this.#cooldownMs = cooldownMs;
  }

  step({ blocks, ciliumReports = [] }: Judged, step: Step): void {
    const { nowMs, skewMs } = step;
    for (const { name, uid, object } of ciliumReports)
      for (const address of Object.keys(object.status.ipam?.used ?? {}))
        this.#used.add(`${handleHash(ciliumHandle(name, uid))} ${address}`);
    const after = new Map(blocks.map((block) => [cidrName(block.cidr), block]));
    for (const [name, block] of after) {
      const before = this.#before.get(name);
      // A node that states a prefix has it, also while it cools: the node uses it.
      if (before === block || block.whole) continue;
      for (const [ordinal, slot] of block.slots) {
        const where = `${name}.${ordinal}`;
        const was = before?.slots.get(ordinal);
        // The release read its own clock, and the cooldown ends in true time.
        if (isReleased(slot) && !(was && isReleased(was) && was.sinceMs === slot.sinceMs))
          this.#releasedAtMs.set(where, slot.sinceMs - skewMs);
        const isHeld = slot.kind === "held";
        if ((!isHeld && slot.kind !== "taken") || was?.kind === "held") continue;
        if (was?.kind === "taken" && (isHeld || was.token === slot.token)) continue;
        const releasedAtMs = this.#releasedAtMs.get(where) ?? Number.NEGATIVE_INFINITY;
        const address = () => formatAddress(addressAt(block.cidr, ordinal));
        const isUsed =
          slot.kind === "taken" &&
          this.#used.size > 0 &&
          this.#used.has(`${slot.handleHash} ${address()}`);
        if (!isUsed && nowMs < releasedAtMs + this.#cooldownMs) {
          const message = `${where} was ${slot.kind} ${nowMs - releasedAtMs} ms after its release`;
          this.violations.push({ invariant: "I9", message });
        }
      }
    }
    this.#before = after;
  }
}
