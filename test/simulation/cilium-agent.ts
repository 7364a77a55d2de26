import { Agent } from "./agent.ts";
import type { AddressFields } from "./cilium-server.ts";

/**
 * The agent of one node in the mode `crd`: it gives addresses of the pool to pods. It answers for an address that is marked: in use, or
 * from now on refused.
 */
export class CiliumAgent extends Agent<AddressFields> {
  /** The addresses that it has said are ready to go. It gives none of them to a pod. */
  readonly #refused = new Set<string>();

  protected override watched(): void {
    for (const ip of this.#refused) if (!this.view.releaseIps.has(ip)) this.#refused.delete(ip);
  }

  /** Returns the addresses of the pool that are not used, and about which no handshake runs. */
  protected free(): readonly string[] {
    const { pool, releaseIps } = this.view;
    const isFree = (ip: string) =>
      !this.inUse.has(ip) &&
      !this.#refused.has(ip) &&
      (releaseIps.get(ip) ?? "do-not-release") === "do-not-release";
    return [...pool].filter(isFree);
  }

  /** Returns the status, with the answers about marked addresses. */
  protected written(): Partial<AddressFields> | undefined {
    const { pool, used, releaseIps } = this.view;
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
    return isSame ? undefined : { used: new Set(this.inUse), releaseIps: said };
  }
}

function same(a: Iterable<string>, b: Iterable<string>): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((each) => right.has(each));
}
