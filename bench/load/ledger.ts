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

/** What a caller owns according to an answer. */
export interface Holding {
  readonly call: AssignCall;
  readonly addresses: readonly Assigned[];
}

/** A ledger as it is saved between two runs. */
export interface Written {
  /** Every holding of which something is still held, and what. */
  readonly current: readonly { readonly holding: Holding; readonly held: readonly string[] }[];
  readonly unheard: readonly string[];
  readonly toldTheSame: number;
  readonly toldReleased: number;
}

/**
 * The callers' own account of who holds what: from the answer to an assign until the call of its release. From that
 * moment both states are right. All callers must use it; otherwise it reports duplicates that are none.
 */
export class Ledger {
  readonly failures: string[] = [];
  /** Repeats of a key that returned the same addresses … */
  toldTheSame = 0;
  /** … and those that reported released ones. */
  toldReleased = 0;
  readonly #holders = new Map<string, Holding>();
  readonly #unheard = new Set<string>();

  /** Records the answer to an assign: nobody else may hold its addresses. */
  hear(holding: Holding): void {
    const { handle } = holding.call.body;
    for (const { address } of holding.addresses) {
      const other = this.#holders.get(address)?.call.body.handle;
      if (other) this.fail(`${address} was given to ${handle} while ${other} held it`);
      this.#holders.set(address, holding);
    }
  }

  /** Records a release; called before the call of the release. */
  letGo(addresses: readonly Assigned[]): void {
    for (const { address } of addresses) this.#holders.delete(address);
  }

  /** Records an assign of this handle without an answer that is never repeated: it may hold something, or nothing. */
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

  /** Returns the handles that may hold something without an answer. */
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

/** Addresses with their generations, in one order, so that two answers can be compared. */
export const textOf = (addresses: readonly Pick<Assigned, "address" | "generation">[]): string =>
  addresses
    .map(({ address, generation }) => `${address} (${generation})`)
    .sort()
    .join(", ");
