import type { Contents } from "../../src/invariants/contents.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import type { Slot } from "../../src/kernel/values/slot.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt } from "../../src/net/cidr.ts";
import { cidrName } from "./cidr-name.ts";

/** The state of one address, its start, and the end of its earlier states. */
interface Current {
  state: AddressStatus;
  readonly until: Map<AddressStatus, number>;
}

export type AddressStatus = "free" | "held" | "cooling" | "quarantined" | "taken";

/**
 * Records the state of every address, write by write. An answer about one address is true if the address had that state
 * at some moment between the request and the answer. For each address alone, this is linearizability.
 */
export class History {
  /** The number of writes seen so far. */
  now = 0;
  readonly #lastSeen = new Map<string, Current>();
  #before = new Map<string, Block>();

  /**
   * Records the state after a write.
   *
   * @param onTaken called for every address that is taken under another token than before
   */
  step({ blocks }: Contents, onTaken: (address: string, token: string) => void): void {
    this.now++;
    const after = new Map(blocks.map((block) => [cidrName(block.cidr), block]));
    for (const [name, block] of after)
      if (this.#before.get(name) !== block) this.#compare(this.#before.get(name), block, onTaken);
    for (const [name, block] of this.#before)
      if (!after.has(name)) this.#compare(block, { ...block, slots: new Map() }, onTaken);
    this.#before = after;
  }

  /** Returns true if the address had the state at any moment since then. */
  was(address: string, state: AddressStatus, since: number): boolean {
    const current = this.#lastSeen.get(address);
    if ((current?.state ?? "free") === state) return true;
    return (current?.until.get(state) ?? -1) > since;
  }

  #compare(
    before: Block | undefined,
    after: Block,
    onTaken: (address: string, token: string) => void,
  ): void {
    for (const ordinal of new Set([...(before?.slots.keys() ?? []), ...after.slots.keys()])) {
      const slot = after.slots.get(ordinal);
      if (sameSlot(before?.slots.get(ordinal), slot)) continue;
      const address = formatAddress(addressAt(after.cidr, ordinal));
      const current = this.#lastSeen.get(address) ?? {
        state: "free",
        until: new Map([["free" as const, this.now]]),
      };
      this.#lastSeen.set(address, current);
      const state = slot === undefined || slot.kind === "foreign" ? "free" : slot.kind;
      if (current.state !== state) current.until.set(current.state, this.now);
      current.state = state;
      if (slot?.kind === "taken") onTaken(address, slot.token);
    }
  }
}

function sameSlot(a: Slot | undefined, b: Slot | undefined): boolean {
  if (a === undefined || b === undefined || a.kind === "foreign" || b.kind === "foreign")
    return a === b;
  return a.kind === b.kind && a.token === b.token;
}
