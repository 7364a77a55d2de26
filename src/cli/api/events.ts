import type { Answer, PlatClient } from "../../client/index.ts";

export type EventResult = Answer<"applyEvents">["results"][number];
export type Zones = Answer<"readZones">;

/** Sends events in one request. */
export async function sendEvents(
  client: PlatClient,
  events: readonly unknown[],
): Promise<readonly EventResult[]> {
  return (await client.applyEvents({ body: { events } })).body.results;
}

/** Reads the zones of the space. */
export async function readZones(client: PlatClient): Promise<Zones> {
  return (await client.readZones()).body;
}
