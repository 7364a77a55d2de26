/**
 * The facts that do not hold yet, by how they begin: they are measured by `npm run scale`, and not held by the tests. Whoever
 * mends one takes it out.
 */
export const OPEN: readonly string[] = [
  "The reclaimer goes through a space of a million blocks in 15 minutes",
  "A small space beside one of a million blocks waits at most two minutes for its reclaim",
];
