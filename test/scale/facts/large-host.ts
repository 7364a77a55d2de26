import type { Fact, Form } from "../fact.ts";
import { assignCold } from "../requests.ts";
import { NO_FULL_BLOCKS, READ_BEFORE_WRITE } from "../sabotages.ts";
import type { NewCloud } from "../scene.ts";
import { hostAtItsCap } from "./served.ts";

/** A host with many full blocks pays for them once: whoever has read them calls them full. */
export function largeHostFacts(form: Form): readonly Fact[] {
  const blocks = form === "full" ? 200 : 40;
  const { size, set } = hostAtItsCap(blocks, undefined, blocks - 1);
  /** Calls of the last of some assigns, each by a function that has just started. */
  const callsOf = async (newCloud: NewCloud, assigns: number) => {
    const { cloud, requests } = await set(newCloud);
    const [request] = requests;
    if (!request) throw new Error("nobody asks");
    return cloud.clock.run(async () => {
      let last = 0;
      for (let i = 0; i < assigns; i++) last = (await assignCold(cloud, request)).calls;
      return last;
    });
  };
  const fact = { size, unit: "calls" };
  return [
    {
      ...fact,
      name: "A host's first assign among full blocks that nothing calls full needs at most three calls for each, and ten",
      bound: 3 * blocks + 10,
      broken: READ_BEFORE_WRITE,
      measure: (newCloud) => callsOf(newCloud, 1),
    },
    {
      ...fact,
      name: "A host's third assign among full blocks needs at most 9 calls",
      bound: 9,
      broken: NO_FULL_BLOCKS,
      measure: (newCloud) => callsOf(newCloud, 3),
    },
  ];
}
