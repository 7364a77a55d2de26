import { handleHash } from "../../src/base/hash.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt, formatCidr } from "../../src/net/cidr.ts";
import { SPACE } from "./requests.ts";
import type { Step } from "./scheduler.ts";

/** An agent that gives addresses, or prefixes, to pods. */
export interface User {
  /** The handle under which its node has what it uses. */
  readonly handle: string;
  readonly inUse: ReadonlySet<string>;
  /** Does all that it does until now. */
  advance(nowMs: number): void;
}

/**
 * Watches every address and every prefix that an agent has given to a pod, from step to step. No other agent uses it, and its node has
 * it in the table (I1, I20).
 */
export class UsedAddresses {
  readonly violations: Violation[] = [];
  readonly #agents: User[] = [];

  watch(agent: User): void {
    this.#agents.push(agent);
  }

  /** Lets the agents act until now. */
  advance(nowMs: number): void {
    for (const agent of this.#agents) agent.advance(nowMs);
  }

  step({ blocks }: Contents, { nowMs }: Step): void {
    this.advance(nowMs);
    const owners = new Map<string, string>();
    for (const { space, cidr, whole, slots } of blocks)
      for (const [ordinal, slot] of space === SPACE ? slots : []) {
        if (slot.kind !== "taken") continue;
        const text = whole ? formatCidr(cidr) : formatAddress(addressAt(cidr, ordinal));
        owners.set(text, slot.handleHash);
      }
    const users = new Map<string, User>();
    for (const agent of this.#agents)
      for (const ip of agent.inUse) {
        const other = users.get(ip);
        if (other) this.#violate(`${agent.handle} and ${other.handle} use ${ip}`);
        users.set(ip, agent);
        if (owners.get(ip) !== handleHash(agent.handle))
          this.#violate(`${agent.handle} uses ${ip}, and has it not`);
      }
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I20", message });
  }
}
