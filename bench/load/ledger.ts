/** What a caller asks for; with a key, it may ask for it again. */
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

/** What a caller was told is its own. */
export interface Holding {
  readonly call: AssignCall;
  readonly addresses: readonly Assigned[];
}

/** A ledger as it is kept between two runs. */
export interface Written {
  /** Every holding of which something is still held, and what. */
  readonly current: readonly { readonly holding: Holding; readonly held: readonly string[] }[];
  readonly unheard: readonly string[];
  readonly toldTheSame: number;
  readonly toldReleased: number;
}

/**
 * The callers' own account of who holds what: from the answer to an assign to the call of its release. From that moment on
 * either state is right. It must be kept by everybody who calls, or it knows of duplicates that are none.
 */
export class Ledger {
  readonly failures: string[] = [];
  /** Repeats of a key that were told the same addresses … */
  toldTheSame = 0;
  /** … and those that were told that something of it was released. */
  toldReleased = 0;
  readonly #holders = new Map<string, Holding>();
  readonly #unheard = new Set<string>();

  /** An answer to an assign: nobody else may hold what is in it. */
  hear(holding: Holding): void {
    const { handle } = holding.call.body;
    for (const { address } of holding.addresses) {
      const other = this.#holders.get(address)?.call.body.handle;
      if (other) this.fail(`${address} was given to ${handle} while ${other} held it`);
      this.#holders.set(address, holding);
    }
  }

  /** Called before the call of a release is. */
  letGo(addresses: readonly Assigned[]): void {
    for (const { address } of addresses) this.#holders.delete(address);
  }

  /** The assign of this handle was not answered, and will not be repeated: it may hold something, or nothing. */
  unheard(handle: string): void {
    this.#unheard.add(handle);
  }

  /** What of a holding was not let go. */
  heldOf(holding: Holding): readonly Assigned[] {
    return holding.addresses.filter(({ address }) => this.#holders.get(address) === holding);
  }

  /** Every holding of which something is still held. */
  current(): readonly Holding[] {
    return [...new Set(this.#holders.values())];
  }

  /** Handles that may hold what nobody was told of. */
  unheardHandles(): readonly string[] {
    return [...this.#unheard];
  }

  /** Those were released by their handle. */
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

  /** Goes on where another one was written; the holdings of it. */
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
