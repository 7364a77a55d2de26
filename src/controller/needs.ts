import { type PlatClient, path } from "../client/index.ts";
import type { KubeApi } from "./kube/api.ts";
import type { Waits } from "./kube/waits.ts";
import { missingRights, type Right, rightText } from "./rights.ts";

/** The wait before what was missing is asked for again. */
const MISSING_AGAIN_MS = 10_000;
/**
 * The time until what was there is asked for again. Every node may have an agent that asks, and each asks before it could
 * seem that the API server is silent.
 */
const HELD_AGAIN_MS = { least: 5 * 60_000, most: 8 * 60_000 };
/** The wait after a check that got no answer. */
const UNANSWERED_AGAIN_MS = 30_000;

/** The surroundings of the check. */
interface NeedsOptions {
  readonly api: KubeApi;
  readonly plat: Pick<PlatClient, "call">;
  readonly waits: Waits;
  readonly rights: readonly Right[];
}

/** The rights in the cluster and the first answer of Plat, without which a process is not ready. */
export class Needs {
  readonly #options: NeedsOptions;
  #denied: readonly string[] = ["the rights were not checked yet"];
  #isPlatReady = false;
  #heardAtMs: number;

  constructor(options: NeedsOptions) {
    this.#options = options;
    this.#heardAtMs = options.waits.now();
  }

  /** The time at which the API server last told the rights; at first that of the start. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  /** The things that are missing, in words. */
  get missing(): readonly string[] {
    return [...this.#denied, ...(this.#isPlatReady ? [] : ["Plat has not answered yet"])];
  }

  /** Checks until the signal ends it. */
  async check(signal: AbortSignal): Promise<void> {
    const { waits } = this.#options;
    while (!signal.aborted) {
      const isAnswered = await this.#checkOnce(signal).then(
        () => true,
        () => false,
      );
      const { least, most } = HELD_AGAIN_MS;
      const heldMs = isAnswered ? least + waits.random() * (most - least) : UNANSWERED_AGAIN_MS;
      await waits.sleep(this.missing.length > 0 ? MISSING_AGAIN_MS : heldMs, signal);
    }
  }

  async #checkOnce(signal: AbortSignal): Promise<void> {
    const { api, plat, rights } = this.#options;
    const denied = await missingRights(api, rights, signal);
    this.#heardAtMs = this.#options.waits.now();
    this.#denied = denied.map((right) => `the right is missing: ${rightText(right)}`);
    if (!this.#isPlatReady) await plat.call({ method: "GET", path: path`/readyz` });
    this.#isPlatReady = true;
  }
}
