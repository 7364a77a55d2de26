import { handleHash } from "../../src/base/hash.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import type { Violation } from "../../src/invariants/violation.ts";
import { type Cidr, formatCidr } from "../../src/net/cidr.ts";
import { SPACE } from "./requests.ts";
import type { Step } from "./scheduler.ts";

/** A prefix that an answer said a node has. */
interface Told {
  readonly cidr: Cidr;
  /** The end of its lease; absent for a confirmed one. */
  readonly expiresAtMs?: number;
}

/**
 * Watches every prefix that an answer gave to a node, from step to step. Its node has it, and nobody else, until its lease ends, or
 * until an act has begun that may give it back (I17, I2). An act can be late, so from its start on neither state is wrong.
 */
export class PromisedPrefixes {
  readonly violations: Violation[] = [];
  /** The ends of the promises, by handle and prefix. */
  readonly #promises = new Map<string, number>();
  /** The handles, and the prefixes of handles, that an act may give back. */
  readonly #givenBack = new Set<string>();
  /** The statements of each handle that have begun, each as the names of its prefixes. */
  readonly #statements = new Map<string, ReadonlySet<string>[]>();
  #nowMs = Number.NEGATIVE_INFINITY;
  /** The hash of the handle that has each prefix. */
  #owners: ReadonlyMap<string, string> = new Map();

  /** Records the start of an act that may give back all that a handle has. */
  endsAll(handle: string): void {
    this.#givenBack.add(handle);
  }

  /** Records the start of a statement. It gives back what the handle has unconfirmed by its end, except what it states. */
  states(handle: string, stated: readonly Cidr[]): void {
    const kept = new Set(stated.map((cidr) => nameOf(handle, cidr)));
    this.#statements.set(handle, [...(this.#statements.get(handle) ?? []), kept]);
    for (const [name, untilMs] of this.#promises)
      if (name.startsWith(`${handle} `) && !kept.has(name) && untilMs !== Number.POSITIVE_INFINITY)
        this.#givenBack.add(name);
  }

  /** Returns what is confirmed when a request of a handle begins. Its answer may miss what another request confirms meanwhile. */
  confirmedOf(handle: string): readonly string[] {
    return [...this.#promises]
      .filter(
        ([name, untilMs]) => name.startsWith(`${handle} `) && untilMs === Number.POSITIVE_INFINITY,
      )
      .map(([name]) => name);
  }

  /**
   * Records the answer to a request of a handle.
   *
   * @param confirmed what was confirmed when the request began; it is in the answer
   */
  hears(handle: string, told: readonly Told[], confirmed: readonly string[]): void {
    if (this.#givenBack.has(handle)) return;
    const names = new Set(told.map(({ cidr }) => nameOf(handle, cidr)));
    for (const name of confirmed)
      if (this.#promises.has(name) && !names.has(name))
        this.#violate(`${name} was confirmed, and is not in the answer`);
    const statements = this.#statements.get(handle) ?? [];
    for (const { cidr, expiresAtMs = Number.POSITIVE_INFINITY } of told) {
      const name = nameOf(handle, cidr);
      // Another statement may still be about to give it back, as it read it before.
      if (!this.#givenBack.has(name) && statements.every((stated) => stated.has(name)))
        this.#promises.set(name, expiresAtMs);
    }
    this.#check();
  }

  step({ blocks }: Contents, { nowMs }: Step): void {
    this.#nowMs = nowMs;
    this.#owners = new Map(
      blocks.flatMap(({ space, cidr, whole, slots }) => {
        const slot = slots.get(0);
        return whole && space === SPACE && slot?.kind === "taken"
          ? [[formatCidr(cidr), slot.handleHash] as const]
          : [];
      }),
    );
    this.#check();
  }

  #check(): void {
    for (const [name, untilMs] of this.#promises) {
      const [handle = "", cidr = ""] = name.split(" ");
      const isOver = this.#givenBack.has(handle) || this.#givenBack.has(name);
      if (isOver || untilMs <= this.#nowMs) this.#promises.delete(name);
      else if (this.#owners.get(cidr) !== handleHash(handle))
        this.#violate(`${handle} was told that it has ${cidr}, and has not`);
    }
  }

  #violate(message: string): void {
    this.violations.push({ invariant: "I17", message });
  }
}

const nameOf = (handle: string, cidr: Cidr): string => `${handle} ${formatCidr(cidr)}`;
