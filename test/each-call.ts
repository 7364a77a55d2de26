import type { Context } from "../src/kernel/core/context.ts";
import type { Table } from "../src/table/table.ts";
import { callsOf, withIntruder } from "./simulation/crash-points.ts";
import { callsToTry, oneIn } from "./simulation/sampled-calls.ts";
import { type Clock, contextOver } from "./world.ts";

/** A world as it is before an act, with what the test made in it. */
interface Scene {
  readonly table: Table;
  readonly clock: Clock;
}

interface Told<Ours, Theirs> {
  readonly ours: Ours;
  readonly theirs: Theirs | undefined;
  /** The call before which the other act came. */
  readonly where: string;
}

/**
 * Runs an act once for each of its calls, each time in a scene of its own. Before that call another act runs to its end.
 *
 * @param check gets the scene after both acts, and their answers
 * @param sample the number of the test among those of one kind, and the step from a tried call to the next in a sample
 * @returns how many calls the act makes
 */
export async function beforeEachCall<Of extends Scene, Ours, Theirs>(
  scene: () => Promise<Of>,
  act: (context: Context, of: Of) => Promise<Ours>,
  come: (context: Context, of: Of) => Promise<Theirs>,
  check: (of: Of, told: Told<Ours, Theirs>) => unknown,
  { number = 0, step = 1 } = {},
): Promise<number> {
  const first = await scene();
  const calls = await callsOf(first.table, (own) => act(contextOver(own, first.clock, 2), first));
  for (const at of callsToTry(calls, number, oneIn(step))) {
    const of = await scene();
    let theirs: Theirs | undefined;
    const own = withIntruder(of.table, at, async () => {
      theirs = await come(contextOver(of.table, of.clock, 3), of);
    });
    const ours = await act(contextOver(own, of.clock, 2), of);
    await check(of, { ours, theirs, where: `before ${calls[at]} (call ${at})` });
  }
  return calls.length;
}
