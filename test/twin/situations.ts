import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type AttributeValue,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { NO_USAGE } from "../../src/nouns/utilization/usage.ts";
import { KEYS_FORMAT } from "../../src/table/kinds.ts";
import type { Twin } from "../../twin/twin.ts";

/** Situations of an environment in which something is wrong, made on a twin. */

/** Registers a space whose settings have an unknown format. Returns what deletes the settings again. */
export async function unreadableSettings(
  { context, database, deployment }: Twin,
  space: string,
): Promise<() => Promise<void>> {
  await context.store.registerSpace(space, "revision");
  const TableName = deployment.table.name;
  const Key: Record<string, AttributeValue> = { pk: { S: `SPACE#${space}` }, sk: { S: "CONFIG" } };
  const Item = { ...Key, f: { N: "999" }, k: { N: `${KEYS_FORMAT}` } };
  await database.send(new PutItemCommand({ TableName, Item }));
  return async () => void (await database.send(new DeleteItemCommand({ TableName, Key })));
}

/** Names another table in the register, as in a table that was restored from a backup. */
export async function restoredTable({ database, deployment }: Twin): Promise<void> {
  await database.send(
    new UpdateItemCommand({
      TableName: deployment.table.name,
      Key: { pk: { S: "TABLE" }, sk: { S: "FORMAT" } },
      UpdateExpression: "SET ids = :ids",
      ExpressionAttributeValues: { ":ids": { M: { dynoxide: { S: "the-lost-table" } } } },
    }),
  );
}

/**
 * Lets a pool of 256 addresses have been counted this long ago, and a pass over it have begun ten minutes ago, so that
 * the next run completes the pass whatever the minute.
 */
export async function countedBefore(
  { context: { store } }: Twin,
  space: string,
  agoMs: number,
): Promise<void> {
  const [pool] = (await store.readSpace(space)).pools;
  if (!pool) throw new Error(`there is no pool in space ${space}`);
  const atMs = Date.now() - agoMs;
  await store.putPoolUsage({
    space,
    poolId: pool.id,
    pool: pool.name,
    family: 4,
    countedFromMs: atMs,
    countedAtMs: atMs,
    usage: NO_USAGE,
    samples: [{ atMs, assignable: 256n, available: 256n, inUse: 0n }],
  });
  const fromMs = Date.now() - 600_000;
  await store.keepPosition(space, {
    pool: pool.name,
    count: { subnetId: pool.id, fromMs, pools: [] },
  });
}

/** Runs each schedule of a function once, as `reclaim`. */
export async function runSchedules({ deployment, lambda }: Twin, run: string): Promise<void> {
  for (const { name, functionArn, input } of deployment.schedules)
    if (name.includes(run)) await lambda.invoke(functionArn, input ?? "{}");
}

/** Returns the logs of all functions so far. */
export async function logsOf({ logs }: Twin): Promise<string> {
  const files = await readdir(logs.directory);
  const texts = await Promise.all(
    files.map((file) => readFile(join(logs.directory, file), "utf8")),
  );
  return texts.join("\n");
}
