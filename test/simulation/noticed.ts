/** What is left out of the protocol, a seed that noticed it, and what it is: where the sources have changed, another seed does. */
export const NOTICED: readonly (readonly [name: string, seed: number, what: string])[] = [
  ["take-epoch", 1, "the epoch clause of a slot write (rule 1)"],
  ["collect-fence", 347, "the collector's fence (rule 1)"],
  ["record-rev", 13, "the revision of a record that is written again (rule 2)"],
  ["unknown-fence", 12, "the fence after an unknown outcome (rule 3)"],
  ["collect-rev", 1045, "the revision that the collector saw (rule 5)"],
  ["expire-rev", 269, "the revision of a record whose lease has run out (rule 5)"],
  ["head-live-rev", 117, "the revision of a head that becomes live (rule 7)"],
  ["abort-rev", 131, "the revision of a head that is aborted (rule 7)"],
  ["give-up-rev", 61, "the revision of a record whose execution holds nothing (rule 5)"],
  ["take-over-rev", 117, "the revision of a block that is taken over"],
  ["loan-fence", 154, "the fence before a loan row goes"],
  ["take-slot", 6, "the clause that a slot is as it was seen"],
  ["block-absent", 1, "the arbiter of claims"],
  ["delete-rev", 129, "the revision of the block that the reclaimer saw"],
  ["seat-absent", 1, "the arbiter of a limited handle's seats"],
  ["seat-over-rev", 247, "the revision of a seat that is taken over"],
];
