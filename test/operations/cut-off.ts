import type { Context } from "../../src/kernel/core/context.ts";
import { answerOf, stoppedBefore } from "../simulation/crash-points.ts";
import { contextOver, type World } from "../world.ts";

/** Carries out an act whose process dies before its first write of this step. */
export async function cutOffBefore(
  { table, clock }: Pick<World, "table" | "clock">,
  step: string,
  act: (context: Context) => Promise<unknown>,
): Promise<void> {
  const cut = stoppedBefore(table, (name) => name === step);
  const dying = answerOf(act(contextOver(cut.table, clock, 8)));
  await cut.stops;
  cut.end();
  await dying;
}
