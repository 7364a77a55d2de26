/**
 * The clauses of the protocol, each with a seed that notices its absence, and its meaning. After a change of the
 * sources another seed may notice it.
 */
export const NOTICED: readonly (readonly [name: string, seed: number, what: string])[] = [
  ["take-epoch", 7, "the epoch clause of a slot write (rule 1)"],
  ["allocation-rev", 33, "the revision of an allocation that is written again (rule 2)"],
  ["unknown-fence", 7, "the fence after an unknown outcome (rule 3)"],
  ["expire-rev", 129, "the revision of an allocation whose lease has run out (rule 5)"],
  ["pending-live-rev", 32, "the revision of a pending allocation that becomes live (rule 7)"],
  ["abort-rev", 2110, "the revision of a pending allocation that is aborted (rule 7)"],
  ["seize-rev", 746, "the revision of a seized block"],
  ["borrowed-fence", 38, "the fence before a borrowed block goes"],
  ["take-slot", 4, "the clause that a slot is as it was seen"],
  ["block-absent", 5, "the arbiter of claims"],
  ["delete-rev", 129, "the revision of the block that the reclaimer saw"],
  ["amend-rev", 916, "the revision of an allocation whose lease or owners change"],
  ["quota-slot-absent", 19, "the arbiter of a limited handle's quota slots"],
  ["quota-slot-over-rev", 201, "the revision of a quota slot that another request takes"],
  ["withdraw-rev", 425, "the revision of an allocation whose execution holds nothing (rule 5)"],
];
