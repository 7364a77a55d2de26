import type { Answer, Parameters, PlatClient } from "../client/index.ts";

/** The result of one event. */
export type EventResult = Answer<"applyEvents">["results"][number];

/** Sends events to Plat. Returns the result of each. @throws {Error} if Plat did not answer for each */
export async function tell(
  plat: Pick<PlatClient, "applyEvents">,
  body: Parameters<"applyEvents">["body"] & { readonly events: readonly object[] },
): Promise<readonly EventResult[]> {
  const answer: Partial<Answer<"applyEvents">> = (await plat.applyEvents({ body })).body;
  const results = answer.results ?? [];
  if (results.length === body.events.length) return results;
  throw new Error(`the answer has ${results.length} results for ${body.events.length} events`);
}
