import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Half a minute and more each, where all others take seconds. */
const LONG = [
  "local/race.test.ts",
  "simulation/simulation.test.ts",
  "simulation/interleavings.test.ts",
  "scale/facts.test.ts",
  "twin/tour.test.ts",
  "twin/race.test.ts",
  "twin/kill.test.ts",
];

/** The long files first, so that none of them is left to run alone at the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
