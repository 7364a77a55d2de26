import { BLOCKS_READ_AT_ONCE } from "../../../src/base/limits.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { expectServed } from "../requests.ts";
import { NO_FULL_BLOCKS, READ_BEFORE_WRITE } from "../sabotages.ts";
import type { NewCloud } from "../scene.ts";
import type { Layout } from "./layout.ts";
import { hostAtItsCap } from "./served.ts";

/**
 * Returns the facts that a host with many full blocks pays for each once, because a request that
 * has read one calls it full.
 */
export function largeHostFacts(form: Form): readonly Fact[] {
  const blocks = form === "full" ? 200 : 40;
  const free = ASSIGNS_MAX;
  // Requests read places in the order of their keys, and this one is the last.
  const atTheEnd = hostAtItsCap(blocks, undefined, { open: form === "full" ? 99 : 9, free });
  const inTheMidst = hostAtItsCap(blocks, undefined, { free });
  return [
    {
      size: atTheEnd.size,
      unit: "calls",
      name: "A host's first assign among full blocks that nothing calls full needs at most three calls for each, and ten",
      bound: 3 * blocks + 10,
      broken: READ_BEFORE_WRITE,
      measure: (newCloud) => callsOf(atTheEnd, newCloud, 1),
    },
    {
      size: inTheMidst.size,
      unit: "calls",
      name: `A host's third assign among full blocks needs at most ${THIRD_CALLS_MAX} calls`,
      bound: THIRD_CALLS_MAX,
      broken: NO_FULL_BLOCKS,
      measure: (newCloud) => callsOf(inTheMidst, newCloud, ASSIGNS_MAX),
    },
  ];
}

/**
 * Returns the calls of the last of some assigns. All are served, each by a function that has just
 * started.
 */
async function callsOf({ set }: Layout, newCloud: NewCloud, assigns: number): Promise<number> {
  const { cloud, requests } = await set(newCloud);
  const [request] = requests;
  if (!request) throw new Error("nobody asks");
  return cloud.clock.run(async () => {
    let last = 0;
    for (let i = 0; i < assigns; i++)
      last = (await expectServed(new LambdaFunction(cloud), request)).calls;
    return last;
  });
}

const ASSIGNS_MAX = 3;
/**
 * The maximum for the third assign: the calls of a cold one, and three for each full block. Those
 * blocks have no hint yet, and the assign reads them together with the right one.
 */
const THIRD_CALLS_MAX = 6 + 3 * (BLOCKS_READ_AT_ONCE - 1);
