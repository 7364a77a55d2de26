import "./environment.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { makeClient } from "./client.ts";
import { asksForDeployed, loadTwin } from "./deployed.ts";
import { expectNoEndpoint } from "./options.ts";
import { startPlat } from "./plat.ts";
import { CALLS_AT_ONCE, NODES, PODS_PER_DEPLOYMENT, POOL, rollOut, SETTINGS } from "./rollout.ts";
import { sentenceOf } from "./serve.ts";
import { keepRolling } from "./steady.ts";
import { UsageError } from "./usage-error.ts";

/**
 * `npm run demo`: a day of a cluster in a minute, 100 deployments of 10 pods on 10 nodes. It uses the laptop's table in
 * a directory of its own. With `-- --dynamodb` it uses the embedded DynamoDB. With `-- --deployed prod` all of it is
 * the twin of the deployment. With `-- --console` pods come and go until Ctrl-C, to be watched in the console.
 */

const DEPLOYMENTS = 100;
const RECLAIM_SECONDS = 1;
/** About half of the pool at a time. */
const DEPLOYMENTS_WATCHED = 220;
/** The time between two deployments that the console shows. */
const PAUSE_MS = 600;

const args = process.argv.slice(2);
try {
  expectNoEndpoint("npm run demo", process.env);
  const data = await mkdtemp(join(tmpdir(), "plat-"));
  if (args.includes("--console")) await watch(data);
  else await play(data);
} catch (error) {
  console.error(sentenceOf(error));
  process.exit(error instanceof UsageError ? 2 : 1);
}

async function play(data: string): Promise<void> {
  console.log(
    `${DEPLOYMENTS} deployments of ${PODS_PER_DEPLOYMENT} pods on ${NODES} nodes, pool ${POOL.cidr} in /${POOL.blockSize} blocks.
To be watched, time is shortened: cooldown ${SETTINGS.cooldownSeconds} s, minimum age of a block ${SETTINGS.blockMinAgeSeconds} s, reclaim every ${RECLAIM_SECONDS} s.`,
  );
  const plat = await (asksForDeployed(args) ? startTwin(data) : startHere(data));
  console.log(`Plat listens on ${plat.url}. ${plat.sentence}.\n`);
  const { client } = plat;
  const failures = await rollOut({ deployments: DEPLOYMENTS, plat, client });
  client.close();
  await plat.stop();
  await rm(data, { recursive: true });
  for (const failure of failures) console.error(`VIOLATED: ${failure}`);
  console.log(
    failures.length === 0
      ? "\nNo address was given twice, none was lost, and every invariant held."
      : `\n${failures.length} failures.`,
  );
  process.exit(failures.length === 0 ? 0 : 1);
}

async function watch(data: string): Promise<void> {
  const { client, url, stop } = await startHere(data);
  const ending = new AbortController();
  const { signal } = ending;
  process.once("SIGINT", () => ending.abort());
  process.once("SIGTERM", () => ending.abort());
  console.log(
    `Pods come and go on ${NODES} nodes. Watch them in a browser, until Ctrl-C ends it:

  ${url}/console/pools/pods?live=1           the blocks of the pool, by fill
  ${url}/console/pools/pods?by=host&live=1   by host
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
  await rm(data, { recursive: true });
}

async function startHere(data: string) {
  const { values } = parseArgs({
    args,
    options: {
      dynamodb: { type: "boolean", default: false },
      console: { type: "boolean", default: false },
    },
  });
  const plat = await startPlat({
    storage: { table: values.dynamodb ? "dynamodb" : "file", data },
    port: 0,
    reclaimSeconds: RECLAIM_SECONDS,
    repairSeconds: 5,
    workSeconds: 5,
  });
  return { ...plat, client: makeClient(plat.url, CALLS_AT_ONCE) };
}

async function startTwin(data: string) {
  const { startDeployed } = await loadTwin();
  const options = ["--port", "0", "--data", data, "--schedule-seconds", `${RECLAIM_SECONDS}`];
  const twin = await startDeployed([...args, ...options]);
  if (!twin) process.exit(0);
  return { ...twin, client: twin.clientOf(CALLS_AT_ONCE) };
}
