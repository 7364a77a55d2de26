import type * as v from "valibot";
import type { spaceUtilizationRead } from "../../contract/answers/answers.ts";
import { type Client, pages, path } from "./client.ts";

/** Returns how many addresses of a pool are assigned. */
export async function assignedInPool(client: Client, name: string): Promise<bigint> {
  const route = path`/v1/utilization`;
  const query = { pool: name };
  let assigned = 0n;
  for await (const { pools } of pages<v.InferOutput<typeof spaceUtilizationRead>>(
    client,
    route,
    query,
  ))
    assigned += BigInt(pools.find(({ pool }) => pool === name)?.inUse ?? 0);
  return assigned;
}
