import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";

/** The pool that is drained in the middle of the load. By its name it is the first pool, so it is well used by then. */
const POOL = { name: "leaving", cidr: "10.1.0.0/25", blockSize: 29 } as const;
const PREFIX = "10.1.0.";
const BEGIN_TRIES_MAX = 10;
/** The status of a request under a version that the pool has no more. */
const CHANGED_STATUS = 412;
const END_TRIES_MAX = 120;
const POLL_MS = 500;

/** A pool that is drained while callers use it: assigned addresses stay, and nothing new is assigned. */
export class Drain {
  /** The number of addresses of the pool that answers contained. */
  given = 0;
  readonly #api: Api;
  #job: { readonly path: string; readonly effectiveAtMs: number } | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  async prepare(): Promise<void> {
    const { name, ...pool } = POOL;
    await this.#api.put(`/v1/pools/${name}`, pool);
  }

  async begin(): Promise<void> {
    const path = `/v1/pools/${POOL.name}`;
    const begun = await this.#begun(path);
    if (begun.status !== 202 || begun.headers.location !== `/v1/jobs/${begun.body.job?.id}`)
      throw new Error(`the drain answered ${begun.status}: ${JSON.stringify(begun.body)}`);
    this.#job = {
      path: begun.headers.location,
      effectiveAtMs: Date.parse(begun.body.effectiveAt),
    };
  }

  /** Sends the drain until it is answered. One whose answer was lost has changed the pool, and a repeat returns its job. */
  async #begun(path: string): ReturnType<Api["drain"]> {
    for (let tries = 1; ; tries++) {
      const { headers } = await this.#api.read(path);
      const begun = await this.#api.drain(path, String(headers.etag));
      if (begun.status !== CHANGED_STATUS || tries === BEGIN_TRIES_MAX) return begun;
    }
  }

  /** Records assigned addresses, and returns those that an answer to a request of that time must not contain. */
  hear(askedAtMs: number, addresses: readonly { readonly address: string }[]): string[] {
    const leaving = addresses.map(({ address }) => address).filter((one) => one.startsWith(PREFIX));
    this.given += leaving.length;
    return this.#job && askedAtMs >= this.#job.effectiveAtMs ? leaving : [];
  }

  /** Waits for the end of the drain after everything is freed; returns its last state. */
  async end(): Promise<string> {
    if (!this.#job) throw new Error("there is no drain");
    for (let tries = 0; tries < END_TRIES_MAX; tries++) {
      const { body } = await this.#api.read(this.#job.path);
      if (body.state !== "running") return body.state;
      await sleep(POLL_MS);
    }
    return "still running";
  }
}
