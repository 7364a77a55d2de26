import type * as v from "valibot";
import type { alarmsRead, poolHistoryRead } from "../../contract/answers/answers.ts";
import { type Client, path } from "./client.ts";

export type Alarms = v.InferOutput<typeof alarmsRead>;
export type PoolHistory = v.InferOutput<typeof poolHistoryRead>;

/** Reads the alarms of the space. */
export async function readAlarms(client: Client): Promise<Alarms> {
  return (await client.call<Alarms>({ method: "GET", path: path`/v1/alarms` })).body;
}

/** Reads the use of a pool over time. */
export async function readPoolHistory(client: Client, pool: string): Promise<PoolHistory> {
  const route = path`/v1/pools/${pool}/history`;
  return (await client.call<PoolHistory>({ method: "GET", path: route })).body;
}
