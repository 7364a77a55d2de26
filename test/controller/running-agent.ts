import { EventEmitter } from "node:events";
import { type AgentFiles, runAgent } from "../../src/controller/agent.ts";
import type { Config } from "../../src/controller/config.ts";
import type { FakeCluster } from "./fake-cluster.ts";

/** An agent of the node `node-1` in this process. It waits until a test wakes it. */
export interface RunningAgent {
  readonly logged: readonly string[];
  /** Ends its waits. */
  readonly wake: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts an agent, and returns once it has installed the plugin. @throws {Error} if it ends before that */
export async function startAgent(
  cluster: FakeCluster,
  plat: Config["plat"],
  files: AgentFiles,
): Promise<RunningAgent> {
  const logged: string[] = [];
  const ending = new AbortController();
  const waker = new EventEmitter().setMaxListeners(0);
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const world = {
      ...{ api: cluster, node: "node-1", files, listen: { host: "127.0.0.1", port: 0 } },
      waits: {
        now: () => performance.now(),
        random: () => 0,
        sleep: (_: number, signal: AbortSignal) =>
          new Promise<void>((end) => {
            if (signal.aborted) return end();
            signal.addEventListener("abort", () => end(), { once: true });
            waker.once("wake", end);
          }),
      },
      log: (message: string) => {
        logged.push(message);
        if (message === "The plugin is installed") resolve();
      },
    };
    running = runAgent({ plat }, world, ending.signal);
    running.catch(reject);
  });
  return {
    logged,
    wake: () => void waker.emit("wake"),
    async stop() {
      ending.abort();
      await running;
    },
  };
}
