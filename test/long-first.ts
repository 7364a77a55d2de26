import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LONG_TESTS } from "./suites.ts";

/** The long files, and those that take the longest among files that take seconds. */
const FIRST = [
  ...LONG_TESTS,
  "test/local/short-race.test.ts",
  "test/simulation/sample.test.ts",
  "test/functions/formats.test.ts",
  "test/nouns/node/operations/apply-node.test.ts",
];

/** Runs the long files first, so that none of them runs alone at the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = FIRST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? FIRST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
