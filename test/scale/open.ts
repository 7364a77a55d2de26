/**
 * The facts that do not hold yet, by how they begin: they are measured by `npm run scale`, and not held by the tests. Whoever
 * mends one takes it out.
 */
export const OPEN: readonly string[] = [
  "A host is served within two tries while a pool that may serve it has a free address: 256 block groups, half",
  "A host is served within two tries while a pool that may serve it has a free address: one free block in 256 block groups, the map misses",
  "A host is served within two tries while a pool that may serve it has a free address: 200 full pools",
  "The reclaimer goes through a space of a million blocks in 15 minutes",
  "A small space beside one of a million blocks waits at most two minutes for its reclaim",
];
