import type * as v from "valibot";
import type { eventsApplied, zonesRead } from "../../contract/answers/answers.ts";
import { type Client, path } from "./client.ts";

export type EventResult = v.InferOutput<typeof eventsApplied>["results"][number];
export type Zones = v.InferOutput<typeof zonesRead>;

/** Sends events in one request. */
export async function sendEvents(
  client: Client,
  events: readonly unknown[],
): Promise<readonly EventResult[]> {
  const { body } = await client.call<v.InferOutput<typeof eventsApplied>>({
    method: "POST",
    path: path`/v1/events`,
    body: { events },
    // A repeat of an event changes nothing.
    isRepeatable: true,
  });
  return body.results;
}

/** Reads the zones of the space. */
export async function readZones(client: Client): Promise<Zones> {
  return (await client.call<Zones>({ method: "GET", path: path`/v1/zones` })).body;
}
