import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { EnvironmentName } from "../cdk/environments.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { type Client, makeClient } from "../src/local/client.ts";
import type { Settings } from "./assembly.ts";
import { type Caller, callersOf, keysOf, OPERATOR_KEYS } from "./callers.ts";
import { type Database, databaseFile, openDatabase } from "./database.ts";
import { type DeployedFunction, type Deployment, deploymentOf } from "./deployment.ts";
import { EventSources } from "./event-sources.ts";
import { freshAssembly } from "./fresh.ts";
import { startGateway } from "./gateway.ts";
import { Lambda } from "./lambda.ts";
import { Logs } from "./logs.ts";
import { lambdaNode } from "./node.ts";
import { Queues } from "./queues.ts";
import { Reaper } from "./reaper.ts";
import { startSchedules } from "./scheduler.ts";
import { Services } from "./services.ts";
import { signing } from "./signing.ts";
import { readStacks } from "./stacks.ts";
import { Streams } from "./streams.ts";
import { startTableProxy, type TableFaults } from "./table-proxy.ts";

export interface TwinOptions {
  /** The port; 0 is a free one. */
  readonly port: number;
  /** The directory of the data. */
  readonly data?: string | undefined;
  /** Seconds between two runs of each schedule, in place of the template's rate. */
  readonly scheduleSeconds?: number | undefined;
  /** The tables, if they are not the twin's own. */
  readonly database?: Database | undefined;
  /** The clock of the throttles in milliseconds, by default that of this machine. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** A running local copy of a deployment. */
export interface Twin {
  readonly url: string;
  readonly deployment: Deployment;
  readonly callers: readonly Caller[];
  /** Makes a client that calls the API as `operator`. */
  readonly clientOf: (sockets: number) => Client;
  readonly lambda: Lambda;
  readonly queues: Queues;
  readonly eventSources: EventSources;
  readonly streams: Streams;
  /** The trouble of all functions with the table, which a test can make. */
  readonly tableFaults: TableFaults;
  /** The bus and the buckets, with everything that the functions put there. */
  readonly services: Services;
  readonly logs: Logs;
  /** A client of DynamoDB that no policy limits. */
  readonly database: DynamoDBClient;
  /** A context over the table with that client. */
  readonly context: Context;
  /** Resolves with a sentence when the data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const UNDERWAY_MS_MAX = 10_000;

/** Runs the templates and the bundles of an environment, made from the current sources. */
export async function startTwinOf(
  environment: EnvironmentName,
  options: TwinOptions,
): Promise<Twin> {
  const { deployment, assets } = await synthesised(environment);
  return startTwin(deployment, assets, options);
}

/**
 * Returns the templates of an environment, made from the current sources, its deployment, and the directories of its bundles.
 *
 * @param settings settings of the environment in place of those of the context
 */
export async function synthesised(environment: EnvironmentName, settings?: Settings) {
  const { stacks, assets } = readStacks(await freshAssembly(environment, settings), environment);
  return { stacks, deployment: deploymentOf(stacks), assets };
}

/** Opens the data of an environment's twin in a directory. No twin may have it open. */
export async function openDataOf(environment: EnvironmentName, data: string): Promise<Database> {
  const { deployment } = await synthesised(environment);
  return openDatabase(deployment, databaseFile(data, deployment.table));
}

/**
 * Runs a deployment.
 *
 * @param assets the directories of the bundles, by the hash in the templates
 */
export async function startTwin(
  deployment: Deployment,
  assets: ReadonlyMap<string, string>,
  { port, data, scheduleSeconds, database: given, elapsedMs }: TwinOptions,
): Promise<Twin> {
  const { table, functions, region } = deployment;
  const node = await lambdaNode();
  const kept = data === undefined ? await mkdtemp(join(tmpdir(), "plat-twin-")) : resolve(data);
  const logs = new Logs(join(kept, "logs"));
  const queues = new Queues(kept);
  const reaper = new Reaper();
  const database =
    given ??
    (await openDatabase(deployment, data === undefined ? undefined : databaseFile(data, table)));
  const holders = new Map(
    functions.map(({ name, role }) => [keysOf("ASIA", name).accessKeyId, { role, session: name }]),
  );
  const roleOf = (accessKeyId: string) => holders.get(accessKeyId)?.role;
  const proxy = await startTableProxy({ table, holders, endpoint: database.endpoint });
  const services = new Services({ ...deployment, directory: kept, queues, roleOf });
  const servicesEndpoint = await services.start();
  const lambda = new Lambda({
    deployment,
    queues,
    environmentOf: (deployed) => ({
      node,
      deployed,
      directory: assetOf(assets, deployed),
      region,
      credentials: { ...keysOf("ASIA", deployed.name), sessionToken: deployed.name },
      dynamoEndpoint: proxy.endpoint,
      servicesEndpoint,
      logs,
      reaper,
    }),
  });
  const callers = callersOf(deployment);
  const streams = new Streams({
    deployment,
    lambda,
    queues,
    endpoint: database.endpoint,
    file: join(kept, "stream-positions.json"),
  });
  const stopBelow = async () => {
    await streams.stop();
    await lambda.stop(UNDERWAY_MS_MAX);
    await proxy.stop();
    services.stop();
    await database.stop();
    await logs.stop();
    reaper.stop();
  };
  const gateway = await startGateway({ deployment, lambda, callers, logs, port, elapsedMs }).catch(
    async (error) => {
      await stopBelow();
      throw error;
    },
  );
  const timers = startSchedules({ deployment, lambda, queues, scheduleSeconds });
  const { stage, rest } = deployment.api;
  const url = `http://127.0.0.1:${gateway.port}${rest ? `/${stage}` : ""}`;
  return {
    url,
    deployment,
    callers,
    clientOf: (sockets) => makeClient(url, sockets, signing(OPERATOR_KEYS, region)),
    lambda,
    queues,
    eventSources: new EventSources(deployment, lambda, queues),
    streams,
    tableFaults: proxy.faults,
    services,
    logs,
    database: database.client,
    context: database.context,
    lost: database.lost,
    async stop() {
      await Promise.all([gateway.stop(), ...timers.map((timer) => timer.stop())]);
      await stopBelow();
    },
  };
}

function assetOf(assets: ReadonlyMap<string, string>, { name, asset }: DeployedFunction): string {
  const directory = assets.get(asset);
  if (directory === undefined) throw new Error(`the code of ${name} was not synthesised`);
  return directory;
}
