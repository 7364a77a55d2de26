import { type Random, randomBelow } from "../../src/kernel/values/fresh.ts";
import type { HttpReply } from "../../src/local/client.ts";
import { type Api, isForTheMoment, type Settled } from "./api.ts";
import type { Drain } from "./drain.ts";
import { type AssignCall, type Assigned, type Holding, type Ledger, textOf } from "./ledger.ts";
import { repeat } from "./repeat.ts";
import { BLOCK_ADDRESSES, HOSTS, hostOf, someAddress } from "./world.ts";

/** A caller assigns while it holds fewer addresses than this. */
const HELD_MIN = 10;

/** The behavior of callers. */
export interface Habits {
  /** The number of hosts among which callers alternate. */
  readonly hosts: number;
  /** The share of assigns with an Idempotency-Key. */
  readonly keyedShare: number;
}

const USUAL: Habits = { hosts: HOSTS, keyedShare: 0.4 };

/** The initial state of a caller. */
export interface Beginning {
  readonly habits?: Habits;
  readonly drain?: Drain;
  /** The holdings from an earlier run, and the number of its requests. */
  readonly holdings?: readonly Holding[];
  readonly requests?: number;
}

/**
 * One caller among many. It assigns and releases addresses in every way, repeats keyed requests, and compares every answer
 * with the ledger. Its random source determines its choices, but not how its calls interleave with those of others.
 */
export class Caller {
  readonly #index: number;
  readonly #api: Api;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #drain: Drain | undefined;
  readonly #habits: Habits;
  #holdings: Holding[];
  #requests: number;

  constructor(
    index: number,
    api: Api,
    ledger: Ledger,
    random: Random,
    { habits = USUAL, drain, holdings = [], requests = 0 }: Beginning = {},
  ) {
    this.#index = index;
    this.#api = api;
    this.#ledger = ledger;
    this.#random = random;
    this.#habits = habits;
    this.#drain = drain;
    this.#holdings = [...holdings];
    this.#requests = requests;
  }

  get requests(): number {
    return this.#requests;
  }

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#step();
  }

  async #step(): Promise<void> {
    const held = this.#holdings.flatMap((holding) => this.#ledger.heldOf(holding));
    if (held.length === 0 || (held.length < HELD_MIN && this.#chance(0.6))) return this.#assign();
    const holding = this.#one(this.#holdings);
    if (holding.call.key !== undefined && this.#chance(0.2))
      return repeat(this.#api, this.#ledger, holding);
    return this.#release(holding);
  }

  async #assign(): Promise<void> {
    const handle = `caller-${this.#index}-${this.#requests++}`;
    const host = hostOf(this.#index % this.#habits.hosts);
    const body = { host, handle, ...this.#familyRequest() };
    const key = this.#chance(this.#habits.keyedShare) ? `key of ${handle}` : undefined;
    const call = { body, key };
    const askedAtMs = Date.now();
    const reply = key === undefined ? await this.#ask(call) : await this.#askUnderKey(call);
    if (reply?.status !== 200) return;
    this.#checkCounts(call, reply);
    const holding: Holding = { call, addresses: reply.body.addresses };
    this.#ledger.hear(holding);
    for (const address of this.#drain?.hear(askedAtMs, holding.addresses) ?? [])
      this.#ledger.fail(`${address} was given to ${handle} out of a drained pool`);
    this.#holdings.push(holding);
  }

  /**
   * Chooses a request, mostly for one address. Other requests are for both families, for more than a block has, for as
   * many as possible, or for a specific address.
   */
  #familyRequest(): Omit<AssignCall["body"], "host" | "handle"> {
    const kind = this.#random.fraction();
    const several = () => BLOCK_ADDRESSES + 1 + randomBelow(4, this.#random);
    if (kind < 0.5) return { ipv4: 1 };
    if (kind < 0.6) return { ipv6: 1 };
    if (kind < 0.75) return { ipv4: 1, ipv6: 1 };
    if (kind < 0.8) return { ipv4: several() };
    if (kind < 0.85) return { ipv4: several(), ipv6: 2, allowPartial: true };
    return { address: someAddress(this.#random) };
  }

  /**
   * Sends a request without a key once. Addresses of an unanswered one are found under its handle, now or at the end.
   */
  async #ask(call: AssignCall): Promise<HttpReply | undefined> {
    const reply = await this.#api.assignOnce(call);
    if (reply && !isForTheMoment(reply)) return reply;
    const { handle } = call.body;
    if (this.#chance(0.5)) await this.#api.releaseHandle(handle, "release of an unanswered assign");
    else this.#ledger.unheard(handle);
    return undefined;
  }

  /** Repeats a keyed request until it is settled, sometimes twice in parallel. */
  async #askUnderKey(call: AssignCall): Promise<HttpReply | undefined> {
    if (this.#chance(0.6)) return this.#api.assign(call);
    const kind = "assign, twice at once";
    const twins = await Promise.all([this.#api.assign(call, kind), this.#api.assign(call, kind)]);
    const served = twins.filter(({ status }) => status === 200);
    const [text = "", ...others] = served.map(({ body }) => textOf(body.addresses));
    for (const other of others) {
      if (other === text) this.#ledger.toldTheSame++;
      else this.#ledger.fail(`${call.key} was answered with ${text} and with ${other}`);
    }
    return served[0];
  }

  #checkCounts({ body }: AssignCall, { body: answer }: HttpReply): void {
    const { handle, address, ipv4 = 0, ipv6 = 0, allowPartial } = body;
    const told: readonly Assigned[] = answer.addresses;
    const asked = address === undefined ? ipv4 + ipv6 : 1;
    const fits =
      address === undefined
        ? allowPartial
          ? told.length > 0 && told.length <= asked
          : told.length === asked && told.filter(({ family }) => family === 4).length === ipv4
        : told.length === 1 && told[0]?.address === address;
    if (!fits) this.#ledger.fail(`${handle} asked for ${JSON.stringify(body)}: ${textOf(told)}`);
    if (told.length < asked && answer.messages.length === 0)
      this.#ledger.fail(`${handle} was not told why it got ${told.length} of ${asked}`);
  }

  async #release(holding: Holding): Promise<void> {
    const held = this.#ledger.heldOf(holding);
    const way = this.#random.fraction();
    const some = way < 0.2 && held.length > 1 ? held.slice(0, 1) : held;
    this.#ledger.letGo(some);
    if (some.length === held.length)
      this.#holdings = this.#holdings.filter((other) => other !== holding);
    const release =
      way < 0.6
        ? (kind?: string) => this.#api.releaseAddresses(some, kind)
        : way < 0.8
          ? (kind?: string) => this.#api.releaseHandle(holding.call.body.handle, kind)
          : (kind?: string) => this.#api.deleteHandle(holding.call.body.handle, kind);
    this.#checkReleased(holding, some, await release());
    if (some.length < held.length || !this.#chance(0.1)) return;
    // If the database did not answer, the second release may return "released" for addresses of the first one, but for
    // no others.
    const named = new Set(some.map(({ address }) => address));
    const again = releasedBy(await release("release again")).filter((one) => !named.has(one));
    if (again.length > 0) this.#ledger.fail(`a second release gave back ${again.join(", ")}`);
    if (holding.call.key !== undefined) await repeat(this.#api, this.#ledger, holding);
  }

  /**
   * Checks that exactly the named addresses were released. An earlier try without an answer may have freed addresses
   * that this one finds free. If the database did not answer, a release may return "released" for addresses that an
   * earlier try of the same request freed.
   */
  #checkReleased({ addresses }: Holding, asked: readonly Assigned[], reply: Settled): void {
    const named = new Set(asked.map(({ address }) => address));
    const earlier = new Set(
      addresses.map(({ address }) => address).filter((one) => !named.has(one)),
    );
    const textsOf = (texts: Iterable<string>) => [...new Set(texts)].sort().join(", ");
    const released = textsOf(releasedBy(reply).filter((one) => !earlier.has(one)));
    const expected = textsOf(named);
    if (released === expected || (reply.tries > 1 && reply.status === 200)) return;
    this.#ledger.fail(
      `try ${reply.tries} of a release of ${expected} answered ${JSON.stringify(reply.body)}`,
    );
  }

  #chance(share: number): boolean {
    return this.#random.fraction() < share;
  }

  #one<T>(items: readonly T[]): T {
    return items[randomBelow(items.length, this.#random)] as T;
  }
}

function releasedBy({ body }: Pick<HttpReply, "body">): string[] {
  if (body.released) return [...body.released];
  const results: { address: string; status: string }[] = body.results ?? [];
  return results.filter(({ status }) => status === "released").map(({ address }) => address);
}
