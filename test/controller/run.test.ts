import { expect, it } from "vitest";
import { parseConfig } from "../../src/controller/config.ts";
import { runController } from "../../src/controller/run.ts";

/** An address of this machine at which nobody listens. */
const NOBODY = "http://127.0.0.1:1";

it.each(["pods: {collect: report}", "clusterApi: true", "calico: true"])(
  "a controller that never hears the API server is unhealthy after ten minutes, with %s",
  async (on) => {
    const config = parseConfig(
      `plat: {endpoint: "${NOBODY}"}\ncluster: c1\nnodes: {podCIDRs: off}\n${on}`,
    );
    const ending = new AbortController();
    let nowMs = 0;
    const waits = {
      now: () => nowMs,
      random: () => 0,
      sleep: (_: number, signal: AbortSignal) =>
        new Promise<void>((end) => {
          if (signal.aborted) return end();
          signal.addEventListener("abort", () => end(), { once: true });
        }),
    };
    let running: Promise<void> = Promise.resolve();
    const port = await new Promise<unknown>((resolve, reject) => {
      running = runController(
        config,
        {
          pod: { url: NOBODY, namespace: "plat-system" },
          identity: "replica-1",
          listen: { host: "127.0.0.1", port: 0 },
          waits,
          log: (_, about) => resolve(about?.port),
        },
        ending.signal,
      );
      running.catch(reject);
    });
    const health = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
    expect(await health()).toBe(200);
    nowMs = 10 * 60_000 + 1;
    expect(await health()).toBe(503);
    ending.abort();
    await running;
  },
);
