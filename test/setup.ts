import fc from "fast-check";
import { afterAll, afterEach, vi } from "vitest";
import { checkTest, endFile, startFile } from "./each-file.ts";
import { measureFile } from "./processor-time.ts";
import { PROPERTY_RUNS } from "./property-runs.ts";

/**
 * Property tests try the same cases in every run, so that a change causes each new failure. `SEED=7 npm test` tries
 * others, and `RUNS=500 npm test` tries more.
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1), numRuns: PROPERTY_RUNS });

const measured = measureFile();
startFile();
afterEach(checkTest);
// biome-ignore lint/correctness/noEmptyPattern: Vitest takes no other first parameter
afterAll(({}, { file }) => {
  endFile();
  // Of a file that forgot to, so that the next one of this worker begins as the first did.
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  file.meta.processorTime = measured();
});
