import { formatAddress } from "../../src/domain/address.ts";
import { addressAt } from "../../src/domain/cidr.ts";
import type { Contents } from "../../src/domain/contents.ts";
import { handleHash } from "../../src/domain/hash.ts";
import { ciliumHandle } from "../../src/domain/node-handle.ts";
import type { Violation } from "../../src/domain/violation.ts";
import type { CiliumAgent } from "./cilium-agent.ts";
import { SPACE } from "./requests.ts";
import type { Step } from "./scheduler.ts";

/**
 * Watches every address that an agent has given to a pod, from step to step. No other agent uses it, and its node has it
 * in the table (I1, I20).
 */
export class UsedAddresses {
  readonly violations: Violation[] = [];
  readonly #agents: CiliumAgent[] = [];

  watch(agent: CiliumAgent): void {
    this.#agents.push(agent);
  }

  /** Lets the agents act until now. */
  advance(nowMs: number): void {
    for (const agent of this.#agents) agent.advance(nowMs);
  }

  step({ blocks }: Contents, { nowMs }: Step): void {
    this.advance(nowMs);
    const owners = new Map<string, string>();
    for (const { space, cidr, slots } of blocks)
      for (const [ordinal, slot] of space === SPACE ? slots : [])
        if (slot.kind === "taken")
          owners.set(formatAddress(addressAt(cidr, ordinal)), slot.handleHash);
    const users = new Map<string, CiliumAgent>();
    for (const agent of this.#agents)
      for (const ip of agent.inUse) {
        const other = users.get(ip);
        if (other) this.#violate(`${nameOf(agent)} and ${nameOf(other)} use ${ip}`);
        users.set(ip, agent);
        if (owners.get(ip) !== handleHash(nameOf(agent)))
          this.#violate(`${nameOf(agent)} uses ${ip}, and has it not`);
      }
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I20", message });
  }
}

const nameOf = ({ node: { name, uid } }: CiliumAgent): string => ciliumHandle(name, uid);
