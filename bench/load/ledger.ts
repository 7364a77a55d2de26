/** A caller's request; with a key it may be repeated. */
export interface AssignCall {
  readonly body: {
    readonly host: string;
    readonly handle: string;
    readonly ipv4?: number;
    readonly ipv6?: number;
    readonly address?: string;
    readonly allowPartial?: true;
  };
  readonly key?: string | undefined;
}

export interface Assigned {
  readonly address: string;
  readonly family: 4 | 6;
  readonly generation: string;
}

/** The addresses that a caller owns according to an answer. */
export interface Holding {
  readonly call: AssignCall;
  readonly addresses: readonly Assigned[];
}

/** A ledger as it is saved between two runs. */
export interface Written {
  /** Every holding with addresses that are not released, and those addresses. */
  readonly current: readonly { readonly holding: Holding; readonly held: readonly string[] }[];
  readonly unheard: readonly string[];
  readonly toldTheSame: number;
  readonly toldReleased: number;
}

/**
 * The callers' own record of the owner of each address. A holding lasts from the answer to the assign until the call of
 * the release; from that call on both states are valid. All callers must use it; otherwise it reports duplicates that
 * do not exist.
 */
export class Ledger {
  readonly failures: string[] = [];
  /** Repeats of a key that returned the same addresses. */
  toldTheSame = 0;
  /** Repeats of a key that returned released addresses. */
  toldReleased = 0;
  readonly #holders = new Map<string, Holding>();
  readonly #unheard = new Set<string>();

  /** Records the answer to an assign: no other holding may have its addresses. */
  hear(holding: Holding): void {
    const { handle } = holding.call.body;
    for (const { address } of holding.addresses) {
      const other = this.#holders.get(address)?.call.body.handle;
      if (other) this.fail(`${address} was given to ${handle} while ${other} held it`);
      this.#holders.set(address, holding);
    }
  }

  /** Records a release; call it before the call of the release. */
  letGo(addresses: readonly Assigned[]): void {
    for (const { address } of addresses) this.#holders.delete(address);
  }

  /** Records an unanswered assign of this handle that is never repeated. The handle may have addresses, or none. */
  unheard(handle: string): void {
    this.#unheard.add(handle);
  }

  /** Returns the addresses of a holding that are not released. */
  heldOf(holding: Holding): readonly Assigned[] {
    return holding.addresses.filter(({ address }) => this.#holders.get(address) === holding);
  }

  /** Returns every holding with addresses that are not released. */
  current(): readonly Holding[] {
    return [...new Set(this.#holders.values())];
  }

  /** Returns the handles of unanswered assigns, which may have addresses. */
  unheardHandles(): readonly string[] {
    return [...this.#unheard];
  }

  /** Forgets these handles after a release by handle. */
  forgetUnheard(): void {
    this.#unheard.clear();
  }

  get count(): number {
    return this.#holders.size;
  }

  written(): Written {
    const { toldTheSame, toldReleased } = this;
    const current = this.current().map((holding) => ({
      holding,
      held: this.heldOf(holding).map(({ address }) => address),
    }));
    return { current, unheard: this.unheardHandles(), toldTheSame, toldReleased };
  }

  /** Continues a saved ledger, and returns its holdings. */
  resume({ current, unheard, toldTheSame, toldReleased }: Written): readonly Holding[] {
    for (const { holding, held } of current)
      for (const address of held) this.#holders.set(address, holding);
    for (const handle of unheard) this.#unheard.add(handle);
    this.toldTheSame = toldTheSame;
    this.toldReleased = toldReleased;
    return current.map(({ holding }) => holding);
  }

  fail(failure: string): void {
    this.failures.push(failure);
  }
}

/** Formats addresses with their generations in one order, so that two answers can be compared. */
export const textOf = (addresses: readonly Pick<Assigned, "address" | "generation">[]): string =>
  addresses
    .map(({ address, generation }) => `${address} (${generation})`)
    .sort()
    .join(", ");
