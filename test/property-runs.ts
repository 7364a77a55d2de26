/**
 * The number of cases that a property test tries: 20, or that of the environment. `npm run test:long` tries 500.
 */
export const PROPERTY_RUNS = Number(process.env.RUNS ?? 20);

/** Returns the number of cases for a property whose every case is a long story, or that is tried for many routes. */
export const fewerRuns = (share: number): number => Math.ceil(PROPERTY_RUNS * share);
