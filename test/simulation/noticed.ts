/**
 * The clauses of the protocol, each with a seed that notices its absence, and its meaning. After a change of the
 * sources another seed may notice it.
 */
export const NOTICED: readonly (readonly [name: string, seed: number, what: string])[] = [
  ["take-epoch", 6, "the epoch clause of a slot write (rule 1)"],
  ["allocation-rev", 100, "the revision of an allocation that is written again (rule 2)"],
  ["unknown-fence", 7, "the fence after an unknown outcome (rule 3)"],
  ["expire-rev", 129, "the revision of an allocation whose lease has run out (rule 5)"],
  ["pending-live-rev", 54, "the revision of a pending allocation that becomes live (rule 7)"],
  ["abort-rev", 3218, "the revision of a pending allocation that is aborted (rule 7)"],
  ["seize-rev", 30, "the revision of a seized block"],
  ["borrowed-fence", 110, "the fence before a borrowed block goes"],
  ["take-slot", 1, "the clause that a slot is as it was seen"],
  ["block-absent", 11, "the arbiter of claims"],
  ["delete-rev", 9, "the revision of the block that the reclaimer saw"],
  ["amend-rev", 832, "the revision of an allocation whose lease or owners change"],
  ["quota-slot-absent", 19, "the arbiter of a limited handle's quota slots"],
  ["quota-slot-over-rev", 222, "the revision of a quota slot that another request takes"],
  ["withdraw-rev", 425, "the revision of an allocation whose execution holds nothing (rule 5)"],
  ["borrowed-drop-rev", 1143, "the revision of the entry of a borrowed block that goes"],
  ["idle-rev", 5, "the revision of a block that is marked idle"],
  ["keep-live", 222, "the state of an instance's allocation that is kept"],
  [
    "limit-end-rev",
    89,
    "the revision of an allocation that ends because its handle is at its limit",
  ],
  ["replay-abort-rev", 304, "the revision of a pending allocation that a repeat aborts (rule 7)"],
];

/** The seeds of the simulated runs of `npm test`: 1 to this. */
export const SAMPLE_RUNS = 50;

/** The rejections that none of these runs meets, each with the seed of a run that does. */
export const MET_BY: Readonly<Record<string, number>> = {
  address_quarantined: 158,
  handle_limit: 93,
  pool_forbidden: 122,
  prefix_in_use: 68,
};
