import { Agent } from "./agent.ts";

/** The fields of a CiliumNode that has prefixes: in mode `cluster-pool`, or of one pool in mode `multi-pool`. */
export interface PrefixFields {
  /** The addresses that the agent asks for, in `multi-pool`. */
  readonly needed: number;
  readonly prefixes: ReadonlySet<string>;
}

/** The addresses of a prefix that pods can have: those of a /30 without its first and its last one. */
export const USABLE = 2;
const PREFIXES_NEEDED_MAX = 2;

/** The agent of one node that has prefixes. It uses a prefix from its first pod on until the last one has gone. */
export class PrefixAgent extends Agent<PrefixFields> {
  protected free(): readonly string[] {
    return [...this.view.prefixes].filter((cidr) => !this.inUse.has(cidr));
  }

  /** Asks for nothing: in `cluster-pool` a node has the same prefixes for its life. */
  protected written(): Partial<PrefixFields> | undefined {
    return undefined;
  }
}

/** The agent of one node in the mode `multi-pool`. It also asks for prefixes, and lets one go that it does not need. */
export class MultiPoolAgent extends PrefixAgent {
  /** Returns a new need, and the prefixes without the last one that no pod uses, if it is too many (Cilium, pkg/ipam/pool.go). */
  protected override written(): Partial<PrefixFields> {
    const needed = USABLE * Math.floor(this.random.fraction() * (PREFIXES_NEEDED_MAX + 1));
    const prefixes = new Set(this.view.prefixes);
    const unused = this.free().at(-1);
    if (unused !== undefined && USABLE * (this.free().length - 1) >= needed)
      prefixes.delete(unused);
    return { needed, prefixes };
  }
}
