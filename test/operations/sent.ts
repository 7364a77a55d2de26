import { vi } from "vitest";
import type { Event } from "../../src/api/http/event.ts";
import * as calling from "../functions/call.ts";
import { startAnew } from "../functions/plat.ts";
import { CALLS } from "./calls.ts";
import { furnished } from "./furnished.ts";

/** Returns the id under which a route is known, whichever of its two paths a request names. */
export const idOf = ({ id }: { readonly id: string }): string => id.replace(/InSpace$/, "");

/**
 * Sends every request of the catalogue, and those that furnish its space.
 *
 * @returns the requests as API Gateway passes them on, by the ids of their routes
 */
export async function sentByRoute(): Promise<ReadonlyMap<string, readonly Event[]>> {
  const sending = vi.spyOn(calling, "sendEvent");
  const of = await furnished();
  for (const { send } of Object.values(CALLS)) {
    startAnew();
    await send(of);
  }
  const sent = new Map<string, Event[]>();
  for (const [at, { value }] of sending.mock.settledResults.entries()) {
    const [, event] = sending.mock.calls[at] ?? [];
    if (event) sent.set(idOf(value.route), [...(sent.get(idOf(value.route)) ?? []), event]);
  }
  sending.mockRestore();
  return sent;
}
