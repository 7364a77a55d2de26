import type { Answer, PlatClient } from "../../client/index.ts";

export type Alarms = Answer<"listAlarms">;
export type PoolHistory = Answer<"readPoolHistory">;

/** Reads the alarms of the space. */
export async function readAlarms(client: PlatClient): Promise<Alarms> {
  return (await client.listAlarms()).body;
}

/** Reads the use of a pool over time. */
export async function readPoolHistory(client: PlatClient, pool: string): Promise<PoolHistory> {
  return (await client.readPoolHistory({ name: pool })).body;
}
