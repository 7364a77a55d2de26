interface Excuse {
  readonly why: string;
  /**
   * Seeds of simulated runs that change without the clause, and still end as they should, because
   * the scheduled runs repair the damage.
   */
  readonly heals?: readonly number[];
}

const HEALED =
  "Repair deletes an affinity without its block, and reclaim restores the affinity of a block. Until then a host may overlook a block of its own.";
const COMES_BACK = `The affinity returns as it was seen, over the one that replaced it. ${HEALED}`;
const GOES = `The write deletes the affinity that replaced it. ${HEALED}`;

/** Clauses without which no test fails, and the reasons to keep them. */
export const EXCUSED: Readonly<Record<string, Excuse>> = {
  "affinity-confirm-rev": { why: COMES_BACK, heals: [3, 6] },
  "affinity-retire-rev": { why: COMES_BACK, heals: [12, 13] },
  "affinity-keep-rev": { why: COMES_BACK, heals: [913, 1145] },
  "repair-confirm-rev": { why: COMES_BACK, heals: [101, 221] },
  "affinity-drop-rev": { why: GOES, heals: [12, 30] },
  "affinity-undo-rev": { why: GOES, heals: [33, 71] },
  "affinity-stale-rev": { why: GOES, heals: [32, 33] },
  "affinity-orphan-rev": { why: GOES, heals: [32, 54] },
  "repair-affinity-rev": { why: GOES, heals: [672, 762] },
  "repair-duplicate-rev": { why: `As \`repair-affinity-rev\`, which heals: ${GOES}` },
  "restore-entry-absent": {
    why: "An entry only suggests that a node of its name may exist. Another entry of the same name replaces it, and repair deletes it when the node is gone.",
    heals: [6, 9],
  },
  "borrowed-absent": {
    why: "A confirmed borrowed-block entry may be written at any time: it says that its host may hold something, and a pending delete of it finds another revision.",
  },
  "borrowed-rev": { why: "As `borrowed-absent`: the write contains a confirmed entry." },
  "disown-borrowed-absent": {
    why: "As `borrowed-absent`; and the next write would overwrite an existing entry.",
  },
  "disown-borrowed-rev": { why: "As `borrowed-absent`: the write contains a confirmed entry." },
  "borrowed-mark-rev": {
    why: "The fence and the read of the block come after the mark, whatever the mark replaced, and `borrowed-drop-rev` names the mark. A request that relies on the entry took its slots before the fence, and they are visible; or the fence shuts it out, and it confirms the entry again.",
  },
  "signed-present": {
    why: "Every deletion that is signed names a revision, which no missing item has. `test/table/signed-table.test.ts` signs one that names none.",
  },
  "release-allocation-token": {
    why: "Without a key an allocation has an id that never repeats, and only its author writes it, before the answer. Rule 5 requires the clause of every delete.",
  },
  "expired-rev": {
    why: "Without a key a released allocation no longer changes, and its id never repeats.",
  },
};
