import { setTimeout as sleep } from "node:timers/promises";
import type { Client, HttpReply } from "../../src/local/client.ts";
import { Tally } from "../../src/local/tally.ts";
import type { AssignCall, Assigned } from "./ledger.ts";

/**
 * The maximum of tries. They take longer than a request can live or a killed server needs to return. So a request that
 * is not settled by then never is.
 */
const SETTLE_TRIES_MAX = 120;
const RETRY_MS = 500;

/** A final answer, and the number of tries that it took. */
export interface Settled extends HttpReply {
  readonly tries: number;
}

/** A client for the callers. Its server may stop at any moment. */
export class Api {
  readonly tallies = new Map<string, Tally>();
  /** The number of calls without an answer, whose outcome is unknown. */
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

  /**
   * Sends an assign without a key once, because a repeat could assign twice. Returns nothing if there was no answer.
   */
  assignOnce({ body }: AssignCall): Promise<HttpReply | undefined> {
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

  /** Drains the pool at this path in its current state. */
  drain(path: string, etag: string): Promise<Settled> {
    return this.#settled("drain", "POST", `${path}/drain`, undefined, { "if-match": etag });
  }

  /** Puts a resource, and throws if that fails, because everything else depends on it. */
  async put(path: string, body: unknown): Promise<void> {
    const { status, body: answer } = await this.#settled("put", "PUT", path, body);
    if (status !== 201) throw new Error(`PUT ${path} answered ${status}: ${answer.detail}`);
  }

  /** Waits until the server answers, and can read its table. */
  async ready(): Promise<void> {
    await this.#settled("ready", "GET", "/readyz");
  }

  /**
   * Repeats a call until its answer is final. It repeats if the server is gone, the database does not answer or a
   * concurrent change won. It also repeats if the same request is still running, or a release is not complete.
   */
  async #settled(
    kind: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Settled> {
    let last: HttpReply | undefined;
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
  ): Promise<HttpReply | undefined> {
    const startedAtMs = performance.now();
    const reply = await this.#client.call(method, path, body, headers).catch(() => undefined);
    // API Gateway answers without a code if the function did not answer. The outcome is unknown.
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

/**
 * Returns true if the outcome is not decided, or a release is not complete. Then the caller may repeat the same call.
 */
export const isForTheMoment = ({ status, body }: HttpReply): boolean =>
  status > 500 || status === 429 || body.code === "request_in_progress" || body.complete === false;
