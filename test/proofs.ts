import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

/** The files whose tests prove what Plat promises; other tests prove parts of it. */
const PROOFS = [
  "test/simulation/sample.test.ts",
  "test/simulation/simulation.test.ts",
  "test/simulation/crash-points.test.ts",
  "test/simulation/interleavings.test.ts",
  "test/local/short-race.test.ts",
  "test/local/race.test.ts",
  "test/local/kill.test.ts",
  "test/scale/facts.test.ts",
  "test/twin/tour.test.ts",
];
const SHOWN_PER_FILE_MAX = 2;

/** Prints after each file the progress of the run, and the promises that were just proved. */
export default class Proofs implements Reporter {
  #files = 0;
  #ended = 0;

  onTestRunStart(files: readonly unknown[]): void {
    this.#files = files.length;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended++;
    const file = relative(process.cwd(), module.moduleId);
    if (!PROOFS.includes(file) || module.state() !== "passed") return;
    const tests = [...module.children.allTests("passed")];
    const far = `${this.#ended} of ${this.#files} files`;
    for (const { fullName } of tests.slice(0, SHOWN_PER_FILE_MAX) as readonly TestCase[])
      console.log(`   ${far} · proved: ${fullName}`);
    const more = tests.length - SHOWN_PER_FILE_MAX;
    if (more > 0) console.log(`   ${far} · proved: ${more} more of ${file}`);
  }
}
