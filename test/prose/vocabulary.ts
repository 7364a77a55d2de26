/**
 * Words that the documentation no longer uses, each with the word of `docs/glossary.md` that took its place. A pattern
 * matches whole words; a space in it matches a line break too.
 */
export const RETIRED: readonly (readonly [pattern: string, word: string])[] = [
  ["assignment records?", "allocation"],
  ["affinity rows?", "affinity"],
  ["cells?", "block group"],
  ["collector", "repair run"],
  ["pool maps?", "block-group index"],
  ["loans?", "borrowed block"],
  ["loan rows?", "borrowed block"],
  ["lenders?", "owner of the block"],
  ["seats?", "quota slot"],
  ["strays?", "orphan"],
  ["take-overs?", "seize, or import"],
  ["take over", "seize, or import"],
  ["takes over", "seizes, or imports"],
  ["taken over", "seized, or imported"],
  ["give back", "release, or free"],
  ["gives back", "releases, or frees"],
  ["given back", "released, or freed"],
  ["gave back", "released, or freed"],
  ["given up", "deleted, or stopped"],
  ["rehearsal", "dry run"],
  ["unsettled", "unknown"],
  ["whoever", "the caller, the host, the run …"],
  ["nobody's", "without an owner"],
  ["stands still", "pauses"],
  ["stand still", "pause"],
  ["comes by", "runs meanwhile"],
  ["mishaps?", "fault"],
];
