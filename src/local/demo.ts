import "./environment.ts";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeClient } from "./client.ts";
import { loadTwin } from "./deployed.ts";
import { expectNoEndpoint } from "./options.ts";
import { startPlat } from "./plat.ts";
import {
  CALLS_AT_ONCE,
  NODES,
  PODS_PER_DEPLOYMENT,
  ROLLOUT_POOL,
  ROLLOUT_SETTINGS,
  rollOut,
} from "./rollout.ts";
import { sentenceOf } from "./serve.ts";
import { keepRolling } from "./steady.ts";
import { canKeepFiles } from "./storage.ts";
import { UsageError } from "./usage-error.ts";

const DEPLOYMENTS = 100;
const RECLAIM_SECONDS = 1;
/** About half of the pool at a time. */
const DEPLOYMENTS_WATCHED = 220;
/** The time between two deployments that the console shows. */
const PAUSE_MS = 600;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** Tries to remove a directory in which the server may still write. */
const REMOVALS_MAX = 10;

export interface DemoOptions {
  /** True if pods come and go until Ctrl-C, to be watched in the console. */
  readonly console?: true;
  /** True for the embedded DynamoDB. */
  readonly dynamodb?: true;
  /** The environment whose twin is played with; `true` for the first one. */
  readonly deployed?: string | true;
}

/**
 * Plays a day of a cluster in a minute, 100 deployments of 10 pods on 10 nodes, and returns the exit code. It uses the
 * laptop's table in a directory of its own, or in memory where lmdb is not installed.
 */
export async function demo(options: DemoOptions): Promise<number> {
  try {
    expectNoEndpoint("The demo", process.env);
    const data = await mkdtemp(join(tmpdir(), "plat-"));
    try {
      return await (options.console ? watch(options, data) : play(options, data));
    } finally {
      await rm(data, { recursive: true });
    }
  } catch (error) {
    console.error(sentenceOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function play(options: DemoOptions, data: string): Promise<number> {
  for (const signal of SIGNALS) process.once(signal, () => endedBy(signal, data));
  console.log(
    `${DEPLOYMENTS} deployments of ${PODS_PER_DEPLOYMENT} pods on ${NODES} nodes, pool ${ROLLOUT_POOL.cidr} in /${ROLLOUT_POOL.blockSize} blocks.
To be watched, time is shortened: cooldown ${ROLLOUT_SETTINGS.cooldownSeconds} s, minimum age of a block ${ROLLOUT_SETTINGS.blockMinAgeSeconds} s, reclaim every ${RECLAIM_SECONDS} s.`,
  );
  const plat = await (options.deployed === undefined
    ? startHere(options, data)
    : startTwin(options.deployed, data));
  console.log(`Plat listens on ${plat.url}. ${plat.sentence}.\n`);
  const { client } = plat;
  const failures = await rollOut({ deployments: DEPLOYMENTS, plat, client });
  client.close();
  await plat.stop();
  for (const failure of failures) console.error(`VIOLATED: ${failure}`);
  console.log(
    failures.length === 0
      ? "\nNo address was given twice, none was lost, and every invariant held."
      : `\n${failures.length} failures.`,
  );
  return failures.length === 0 ? 0 : 1;
}

/** Removes the data, and lets a signal end the process as it would without the demo. */
function endedBy(signal: NodeJS.Signals, data: string): void {
  rmSync(data, { recursive: true, force: true, maxRetries: REMOVALS_MAX });
  process.kill(process.pid, signal);
}

async function watch(options: DemoOptions, data: string): Promise<number> {
  const ending = new AbortController();
  const { signal } = ending;
  for (const name of SIGNALS) process.once(name, () => ending.abort());
  const { client, url, stop } = await startHere(options, data);
  console.log(
    `Pods come and go on ${NODES} nodes. Watch them in a browser, until Ctrl-C ends it:

  ${url}/console/pools/pods           the blocks of the pool, by fill
  ${url}/console/pools/pods?by=host   by host
`,
  );
  const pause = () => sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
  await keepRolling({
    deployments: DEPLOYMENTS_WATCHED,
    client,
    signal,
    random: Math.random,
    pause,
  });
  client.close();
  await stop();
  return 0;
}

async function startHere({ dynamodb }: DemoOptions, data: string) {
  const file = dynamodb || (await canKeepFiles());
  const plat = await startPlat({
    storage: file ? { table: dynamodb ? "dynamodb" : "file", data } : { table: "memory" },
    port: 0,
    reclaimSeconds: RECLAIM_SECONDS,
    repairSeconds: 5,
    workSeconds: 5,
  });
  return { ...plat, client: makeClient(plat.url, CALLS_AT_ONCE) };
}

async function startTwin(environment: string | true, data: string) {
  const { startDeployed } = await loadTwin();
  const deployed = ["--deployed", ...(environment === true ? [] : [environment])];
  const options = ["--port", "0", "--data", data, "--schedule-seconds", `${RECLAIM_SECONDS}`];
  const twin = await startDeployed([...deployed, ...options]);
  if (!twin) throw new Error("The twin only shows its help.");
  return { ...twin, client: twin.clientOf(CALLS_AT_ONCE) };
}
