import type { Random } from "../../src/kernel/values/fresh.ts";
import type { ServedObject, Versioned } from "./cilium-server.ts";

/** The agent writes the object at most once in this time (Cilium, pkg/ipam/crd.go). */
export const STATUS_MS = 15_000;
/** The most time by which the agent's copy of the object is late. */
export const WATCH_MS = 5_000;
const TICK_MS = 1_000;

/**
 * The agent of Cilium on one node. It gives pods what its copy of the object has and takes it back, and writes the object up to 15 s
 * later.
 *
 * It is no process of the scheduler, whose pauses have no end: it acts second by second, whenever somebody looks.
 */
export abstract class Agent<Fields extends object> {
  /** The handle under which the table must have what the agent uses. */
  readonly handle: string;
  /** What pods use: addresses, or prefixes with a pod in them. */
  readonly inUse = new Set<string>();
  protected readonly random: Random;
  protected view: Versioned<Fields>;
  readonly #server: ServedObject<Fields>;
  #viewedAtMs: number;
  #writtenAtMs: number;
  #nowMs: number;
  #isStopped = false;

  constructor(handle: string, server: ServedObject<Fields>, random: Random, nowMs: number) {
    this.handle = handle;
    this.#server = server;
    this.random = random;
    this.view = server.current;
    this.#viewedAtMs = nowMs;
    this.#writtenAtMs = nowMs;
    this.#nowMs = nowMs;
  }

  /** Returns what a pod can get by the agent's copy of the object. */
  protected abstract free(): readonly string[];

  /** Returns what the agent writes over the object that it has just read; nothing if the object says it already. */
  protected abstract written(): Partial<Fields> | undefined;

  /** Takes note of the object that it has just read. */
  protected watched(): void {}

  /** Ends the agent with its pods, as the end of its node does. */
  stop(): void {
    this.#isStopped = true;
    this.inUse.clear();
  }

  /** Does all that the agent does until now. */
  advance(nowMs: number): void {
    for (; !this.#isStopped && this.#nowMs + TICK_MS <= nowMs; this.#nowMs += TICK_MS) this.#tick();
  }

  #tick(): void {
    const { fraction } = this.random;
    const isLate = this.#nowMs - this.#viewedAtMs >= WATCH_MS;
    if (isLate || fraction() < 0.3) this.#watch();
    const act = fraction();
    if (act < 0.15) this.#give();
    else if (act < 0.25) this.#takeBack();
    if (this.#nowMs - this.#writtenAtMs >= STATUS_MS) this.#write();
  }

  #watch(): void {
    this.view = this.#server.current;
    this.#viewedAtMs = this.#nowMs;
    this.watched();
  }

  #give(): void {
    const free = this.free();
    const one = free[Math.floor(this.random.fraction() * free.length)];
    if (one !== undefined) this.inUse.add(one);
  }

  #takeBack(): void {
    const used = [...this.inUse];
    const one = used[Math.floor(this.random.fraction() * used.length)];
    if (one !== undefined) this.inUse.delete(one);
  }

  /** Writes over the object as it is now. */
  #write(): void {
    this.#watch();
    const change = this.written();
    if (!change) return;
    this.#server.patch(this.view, change);
    this.#writtenAtMs = this.#nowMs;
    this.#watch();
  }
}
