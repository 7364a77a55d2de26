/**
 * Test files that take half a minute or more each, longest first. `npm run test:long` runs them, and `npm test` runs
 * all others. For each of them, another file tests a sample or its parts.
 */
export const LONG_TESTS = [
  "test/simulation/interleavings.test.ts",
  "test/local/race.test.ts",
  "test/simulation/simulation.test.ts",
  "test/simulation/crash-points.test.ts",
  "test/simulation/overtaking.test.ts",
  "test/churn/churn.test.ts",
  "test/cli/import/proof.test.ts",
  "test/twin/tour.test.ts",
  "test/twin/race.test.ts",
  "test/twin/prod.test.ts",
  "test/twin/kill.test.ts",
  "test/twin/private-api.test.ts",
  "test/simulation/noticed.test.ts",
  "test/local/kill.test.ts",
  "test/cni/lab.test.ts",
  "test/cli/tour.test.ts",
  "test/scale/facts.test.ts",
  "test/cdk/rollback.test.ts",
];
