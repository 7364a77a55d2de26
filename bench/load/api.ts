import { setTimeout as sleep } from "node:timers/promises";
import type { Client, Reply } from "../../src/local/client.ts";
import { Tally } from "../../src/local/tally.ts";
import type { AssignCall, Assigned } from "./ledger.ts";

/** Longer than a request may live and a killed server takes to be back: who is not settled by then never is. */
const SETTLE_TRIES_MAX = 120;
const RETRY_MS = 500;

/** An answer that stands, and how often it was asked for. */
export interface Settled extends Reply {
  readonly tries: number;
}

/** The API in a caller's words, at a server that may be gone at any moment. */
export class Api {
  readonly tallies = new Map<string, Tally>();
  /** Calls that nothing came back from: what they did, nobody was told. */
  unanswered = 0;
  readonly #client: Client;
  readonly #sleep: (ms: number) => Promise<unknown>;

  constructor(client: Client, wait: (ms: number) => Promise<unknown> = sleep) {
    this.#client = client;
    this.#sleep = wait;
  }

  get calls(): number {
    return this.answered + this.unanswered;
  }

  get answered(): number {
    return [...this.tallies.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** An assign that must not be sent twice, for it has no key; nothing if it was not answered. */
  assignOnce({ body }: AssignCall): Promise<Reply | undefined> {
    return this.#once("assign", "POST", "/v1/assign", body);
  }

  assign({ body, key }: AssignCall, kind = "assign, keyed"): Promise<Settled> {
    const headers = key === undefined ? undefined : { "idempotency-key": key };
    return this.#settled(kind, "POST", "/v1/assign", body, headers);
  }

  releaseAddresses(addresses: readonly Assigned[], kind = "release by address"): Promise<Settled> {
    const entries = addresses.map(({ address, generation }) => ({ address, generation }));
    return this.#settled(kind, "POST", "/v1/release", { addresses: entries });
  }

  releaseHandle(handle: string, kind = "release by handle"): Promise<Settled> {
    return this.#settled(kind, "POST", "/v1/release", { handle });
  }

  deleteHandle(handle: string, kind = "delete of a handle"): Promise<Settled> {
    return this.#settled(kind, "DELETE", `/v1/handles/${encodeURIComponent(handle)}`);
  }

  read(path: string): Promise<Settled> {
    return this.#settled("read", "GET", path);
  }

  readHandle(handle: string): Promise<Settled> {
    return this.read(`/v1/handles/${encodeURIComponent(handle)}`);
  }

  /** Drains the pool at this path as it was seen. */
  drain(path: string, etag: string): Promise<Settled> {
    return this.#settled("drain", "POST", `${path}/drain`, undefined, { "if-match": etag });
  }

  /** What must succeed before anything else makes sense. */
  async put(path: string, body: unknown): Promise<void> {
    const { status, body: answer } = await this.#settled("put", "PUT", path, body);
    if (status !== 201) throw new Error(`PUT ${path} answered ${status}: ${answer.detail}`);
  }

  /** Until the server serves, and its table can be read. */
  async ready(): Promise<void> {
    await this.#settled("ready", "GET", "/readyz");
  }

  /**
   * Asks until there is an answer that stands. A server that is gone, a database that does not answer, others that were
   * faster, the same request still being carried out, and a release that is not complete are all asked again.
   */
  async #settled(
    kind: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Settled> {
    let last: Reply | undefined;
    for (let tries = 1; tries <= SETTLE_TRIES_MAX; tries++) {
      last = await this.#once(kind, method, path, body, headers);
      if (last && !isForTheMoment(last)) return { ...last, tries };
      await this.#sleep(RETRY_MS);
    }
    const answer = last ? `${last.status} ${JSON.stringify(last.body)}` : "none";
    throw new Error(
      `${method} ${path} was not settled in ${SETTLE_TRIES_MAX} tries; the last answer: ${answer}`,
    );
  }

  async #once(
    kind: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply | undefined> {
    const startedAtMs = performance.now();
    const reply = await this.#client.call(method, path, body, headers).catch(() => undefined);
    // API Gateway answers in its own words, without a code, where the function did not: what it did, nobody was told.
    if (!reply || (reply.status >= 500 && reply.body.code === undefined)) {
      this.unanswered++;
      return undefined;
    }
    this.#tally(kind).add(
      reply.body.code ?? reply.body.message ?? "ok",
      performance.now() - startedAtMs,
    );
    if (reply.status === 500)
      throw new Error(`${method} ${path} answered 500: ${reply.body.detail}`);
    return reply;
  }

  #tally(kind: string): Tally {
    const tally = this.tallies.get(kind) ?? new Tally();
    this.tallies.set(kind, tally);
    return tally;
  }
}

/** Was nothing decided, or is a release not at its end? Then the same call may be made again. */
export const isForTheMoment = ({ status, body }: Reply): boolean =>
  status > 500 || status === 429 || body.code === "request_in_progress" || body.complete === false;
