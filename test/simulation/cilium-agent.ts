import type { Random } from "../../src/domain/fresh.ts";
import type { CiliumServer, ServedObject } from "./cilium-server.ts";

/** The agent writes the status at most once in this time (Cilium, pkg/ipam/crd.go). */
export const STATUS_MS = 15_000;
/** The most time by which the agent's copy of the object is late. */
export const WATCH_MS = 5_000;
const TICK_MS = 1_000;

/**
 * The agent of one node in the mode `crd`. It gives addresses of the pool to pods and takes them back, and says so up to
 * 15 s later. It answers for an address that is marked: in use, or from now on refused.
 *
 * It is no process of the scheduler, whose pauses have no end: it acts second by second, whenever somebody looks.
 */
export class CiliumAgent {
  readonly node: { readonly name: string; readonly uid: string };
  readonly inUse = new Set<string>();
  readonly #server: CiliumServer;
  readonly #random: Random;
  /** The addresses that it has said are ready to go. It gives none of them to a pod. */
  readonly #refused = new Set<string>();
  #view: ServedObject;
  #viewedAtMs: number;
  #writtenAtMs: number;
  #nowMs: number;
  #isStopped = false;

  constructor(node: CiliumAgent["node"], server: CiliumServer, random: Random, nowMs: number) {
    this.node = node;
    this.#server = server;
    this.#random = random;
    this.#view = server.current;
    this.#viewedAtMs = nowMs;
    this.#writtenAtMs = nowMs;
    this.#nowMs = nowMs;
  }

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
    const { fraction } = this.#random;
    const isLate = this.#nowMs - this.#viewedAtMs >= WATCH_MS;
    if (isLate || fraction() < 0.3) this.#watch();
    const act = fraction();
    if (act < 0.15) this.#give();
    else if (act < 0.25) this.#takeBack();
    if (this.#nowMs - this.#writtenAtMs >= STATUS_MS) this.#write();
  }

  #watch(): void {
    this.#view = this.#server.current;
    this.#viewedAtMs = this.#nowMs;
    for (const ip of this.#refused) if (!this.#view.releaseIps.has(ip)) this.#refused.delete(ip);
  }

  /** Gives an address to a pod: one of the pool that is not used, and about which no handshake runs. */
  #give(): void {
    const { pool, releaseIps } = this.#view;
    const isFree = (ip: string) =>
      !this.inUse.has(ip) &&
      !this.#refused.has(ip) &&
      (releaseIps.get(ip) ?? "do-not-release") === "do-not-release";
    const free = [...pool].filter(isFree);
    const ip = free[Math.floor(this.#random.fraction() * free.length)];
    if (ip !== undefined) this.inUse.add(ip);
  }

  #takeBack(): void {
    const used = [...this.inUse];
    const ip = used[Math.floor(this.#random.fraction() * used.length)];
    if (ip !== undefined) this.inUse.delete(ip);
  }

  /** Writes the status over the object as it is now, with the answers about marked addresses. */
  #write(): void {
    this.#watch();
    const { pool, used, releaseIps } = this.#view;
    const said = new Map(releaseIps);
    for (const [ip, state] of releaseIps) {
      if (state === "marked-for-release") {
        const mayGo = pool.has(ip) && !this.inUse.has(ip);
        said.set(ip, mayGo ? "ready-for-release" : "do-not-release");
        if (mayGo) this.#refused.add(ip);
      }
      if (state === "released" && !pool.has(ip)) said.delete(ip);
    }
    const isSame =
      same([...said].map(String), [...releaseIps].map(String)) && same(this.inUse, used);
    if (isSame) return;
    this.#server.patch(this.#view, { used: new Set(this.inUse), releaseIps: said });
    this.#writtenAtMs = this.#nowMs;
    this.#watch();
  }
}

function same(a: Iterable<string>, b: Iterable<string>): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((each) => right.has(each));
}
