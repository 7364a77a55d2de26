import { setTimeout as sleep } from "node:timers/promises";
import { inParallel } from "../kernel/core/parallel.ts";
import { checkTable } from "../nouns/contents/operations/check-table.ts";
import type { Client, HttpReply } from "./client.ts";
import type { LocalPlat } from "./plat.ts";
import { Tally, tableText } from "./tally.ts";

/** The size of a rollout, and its target. */
export interface Rollout {
  readonly deployments: number;
  readonly plat: Pick<LocalPlat, "context">;
  readonly client: Client;
}

export const PODS_PER_DEPLOYMENT = 10;
export const NODES = 10;
export const ROLLOUT_POOL = { cidr: "10.64.0.0/20", blockSize: 26 };
/** Shorter than the defaults of 30 and 60 seconds, so that the last act ends soon. */
export const ROLLOUT_SETTINGS = { cooldownSeconds: 1, blockMinAgeSeconds: 2 };
export const CALLS_AT_ONCE = 32;
/** Tries of one call. A machine that stands still breaks connections, and lets requests run out of time. */
const TRIES_MAX = 10;
const TRY_AGAIN_SECONDS = 1;
/** A slow machine needs longer than any other. */
const RECLAIM_MS_MAX = 600_000;
const RECLAIM_POLL_MS = 250;

/**
 * Plays a day of a cluster in a minute. Deployments get their addresses, half of the pods are replaced, all are
 * deleted, and the blocks return to the pool. After each act it checks the whole table against the invariants and
 * against its own ledger. Returns the violations.
 */
export const rollOut = (rollout: Rollout): Promise<readonly string[]> => new Acts(rollout).run();

interface Pod {
  readonly handle: string;
  readonly node: string;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Held {
  readonly pod: Pod;
  readonly address: string;
  readonly generation: string;
}

class Acts {
  readonly #deployments: number;
  readonly #plat: Rollout["plat"];
  readonly #client: Client;
  /** Addresses by handle, as the demo expects them. */
  readonly #held = new Map<string, Held>();
  readonly #rows: Record<string, string | number>[] = [];
  readonly #failures: string[] = [];

  constructor({ deployments, plat, client }: Rollout) {
    this.#deployments = deployments;
    this.#plat = plat;
    this.#client = client;
  }

  async run(): Promise<readonly string[]> {
    await this.#expect(this.#client.call("PUT", "/v1/config", ROLLOUT_SETTINGS), 201);
    await this.#expect(this.#client.call("PUT", "/v1/pools/pods", ROLLOUT_POOL), 201);
    const pods = podsOf(this.#deployments, "");

    await this.#act("deploy", (tally) => inParallel(pods, CALLS_AT_ONCE, this.#assign(tally)));
    for (const { pod, address } of [...this.#held.values()].slice(0, 1))
      console.log(`The first address, ${address}, went to ${pod.handle} on ${pod.node}.`);
    await this.#act("replace half", async (tally) => {
      const leaving = [...this.#held.values()].filter((_, i) => i % 2 === 0);
      await inParallel(leaving, CALLS_AT_ONCE, async (held) => {
        await this.#release(tally)(held);
        const { handle } = held.pod;
        await this.#assign(tally)({ ...held.pod, handle: `${handle}-again` });
      });
    });
    await this.#act("take down", (tally) =>
      inParallel([...this.#held.values()], CALLS_AT_ONCE, this.#release(tally)),
    );
    await this.#act("reclaim", () => this.#untilReclaimed());

    console.log(`\n${tableText(this.#rows)}`);
    return this.#failures;
  }

  /** Plays one act, prints its row, and checks the whole table after it. */
  async #act(name: string, play: (tally: Tally) => Promise<unknown>): Promise<void> {
    const tally = new Tally();
    const startedAtMs = performance.now();
    await play(tally);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const { violations, counts } = await checkTable(this.#plat.context);
    for (const { invariant, message } of violations)
      this.#failures.push(`after "${name}": ${invariant}: ${message}`);
    if (counts.taken !== this.#held.size)
      this.#failures.push(
        `after "${name}": ${counts.taken} addresses are taken, ${this.#held.size} are held`,
      );
    this.#rows.push({
      act: name,
      calls: tally.count,
      ok: tally.ok,
      rejected: tally.rejections,
      "p50 ms": tally.quantileMs(0.5).toFixed(1),
      "p99 ms": tally.quantileMs(0.99).toFixed(1),
      seconds: seconds.toFixed(1),
      held: counts.taken,
      cooling: counts.cooling,
      blocks: counts.blocks,
      violations: violations.length,
    });
    console.log(
      `${name}: ${tally.count} calls in ${seconds.toFixed(1)} s, ${violations.length} violations`,
    );
  }

  #assign(tally: Tally) {
    return async (pod: Pod): Promise<void> => {
      const { handle, node, attributes } = pod;
      const body = { host: node, ipv4: 1, handle, attributes };
      // A repeat under the same key gets the same address.
      const key = { "idempotency-key": handle };
      const { status, body: answer } = await this.#timed(tally, "/v1/assign", body, key);
      if (status >= 500) this.#failures.push(`the request for ${handle} failed: ${answer.detail}`);
      if (status !== 200) return;
      const [{ address, generation }] = answer.addresses;
      const owner = this.#held.get(address);
      if (owner)
        this.#failures.push(`${address} was given to ${handle} while ${owner.pod.handle} held it`);
      this.#held.set(address, { pod, address, generation });
    };
  }

  #release(tally: Tally) {
    return async ({ address, generation }: Held): Promise<void> => {
      this.#held.delete(address);
      const body = { addresses: [{ address, generation }] };
      const { body: answer, isRepeated } = await this.#timed(tally, "/v1/release", body);
      const status = answer.results?.[0].status;
      // The first try may have released it, and its answer been lost.
      if (status !== "released" && !(isRepeated && status === "not_assigned"))
        this.#failures.push(`the release of ${address} answered ${status}`);
    };
  }

  async #untilReclaimed(): Promise<void> {
    const untilMs = performance.now() + RECLAIM_MS_MAX;
    while (performance.now() < untilMs) {
      if ((await checkTable(this.#plat.context)).counts.blocks === 0) return;
      await sleep(RECLAIM_POLL_MS);
    }
    this.#failures.push(`blocks are left ${RECLAIM_MS_MAX / 1000} s after everything was released`);
  }

  /** Posts as a careful caller does: it repeats what broke, what had no time, and what is still at work. */
  async #timed(
    tally: Tally,
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpReply & { readonly isRepeated: boolean }> {
    for (let tries = 1; ; tries++) {
      const startedAtMs = performance.now();
      const reply = await this.#client.call("POST", path, body, headers).catch((error: Error) => {
        if (tries === TRIES_MAX) throw error;
        return undefined;
      });
      tally.add(reply ? (reply.body.code ?? "ok") : "no answer", performance.now() - startedAtMs);
      const isOver = reply && reply.status < 500 && reply.body.code !== "request_in_progress";
      if (reply && (isOver || tries === TRIES_MAX)) return { ...reply, isRepeated: tries > 1 };
      await sleep(1000 * (reply?.body.retryAfterSeconds ?? TRY_AGAIN_SECONDS));
    }
  }

  async #expect(reply: ReturnType<Client["call"]>, status: number): Promise<void> {
    const { status: got, body } = await reply;
    if (got !== status) throw new Error(`expected ${status}, got ${got}: ${body.detail}`);
  }
}

function podsOf(deployments: number, suffix: string): Pod[] {
  return Array.from({ length: deployments * PODS_PER_DEPLOYMENT }, (_, i) => {
    const deployment = `app-${i % deployments}`;
    const pod = `${deployment}-${Math.floor(i / deployments)}${suffix}`;
    const attributes = { namespace: "demo", pod, deployment };
    return { handle: `k8s-pod-network.${pod}`, node: `node-${i % NODES}`, attributes };
  });
}
