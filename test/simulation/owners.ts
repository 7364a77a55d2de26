import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import type { ClaimedBlock } from "../../src/kernel/affinities/claim-range.ts";
import type { ReleasedAffinity } from "../../src/kernel/affinities/release-range.ts";
import { type HostId, hostId } from "../../src/kernel/values/host.ts";
import { cidrName } from "./cidr-name.ts";
import { SPACE } from "./requests.ts";

type Current = HostId | "nobody's" | "not there";

/**
 * Records the owner of every block of the space, write by write. An operator's answer about a block was true at some
 * moment between the request and the answer.
 */
export class Owners {
  readonly violations: Violation[] = [];
  /** The number of writes seen so far. */
  moment = 0;
  #lastSeen: ReadonlyMap<string, Current> = new Map();
  /** The end of each earlier owner of a block. */
  readonly #until = new Map<string, number>();

  step({ blocks }: Contents): void {
    this.moment++;
    const now = new Map<string, Current>();
    for (const { space, cidr, host } of blocks)
      if (space === SPACE) now.set(cidrName(cidr), host ?? "nobody's");
    for (const cidr of new Set([...this.#lastSeen.keys(), ...now.keys()])) {
      const before = this.#lastSeen.get(cidr) ?? "not there";
      if (now.get(cidr) !== before) this.#until.set(`${cidr} ${before}`, this.moment);
    }
    this.#lastSeen = now;
  }

  /** Records an operator's answer to a claim for a host. */
  hearClaimed(host: HostId, { cidr, status, ...owner }: ClaimedBlock, since: number): void {
    const { affinityType = "host" } = owner;
    if (status === "claimed") this.#hear(cidr, host, since);
    if (status === "not_owned" && owner.host !== undefined)
      this.#hear(cidr, hostId(affinityType, owner.host), since);
  }

  /**
   * Records an operator's answer to a release of a host's block: the block then belonged to another host or to none, or
   * did not exist.
   */
  hearReleased(host: HostId, { cidr, status }: ReleasedAffinity, since: number): void {
    if (status === "deleted") this.#hear(cidr, "not there", since);
    if (status !== "disowned" && status !== "not_owned") return;
    const isOthers = (this.#lastSeen.get(cidr) ?? "not there") !== host;
    const others = [...this.#until].some(
      ([name, until]) => name.startsWith(`${cidr} `) && name !== `${cidr} ${host}` && until > since,
    );
    if (!isOthers && !others)
      this.violations.push({
        invariant: "I4",
        message: `${cidr} is said to be released by ${host}, which had it throughout`,
      });
  }

  #hear(cidr: string, said: Current, since: number): void {
    const now = this.#lastSeen.get(cidr) ?? "not there";
    if (now === said || (this.#until.get(`${cidr} ${said}`) ?? -1) > since) return;
    this.violations.push({
      invariant: "I4",
      message: `${cidr} is said to be ${said}, and was not since the question`,
    });
  }
}
