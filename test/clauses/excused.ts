interface Excuse {
  readonly why: string;
  /** The passes put right what its absence does: seeds of lives that go another way without it, and end as they should. */
  readonly heals?: readonly number[];
}

const HEALED =
  "The collector deletes a row without its block, the reclaimer restores the row of a block. Until then a host may overlook a block of its own.";
const COMES_BACK = `The row comes back as it was seen, over what stands in its place by now. ${HEALED}`;
const GOES = `The row goes that stands in its place by now. ${HEALED}`;

/** What may be left out without any suite noticing, and why it stays. */
export const EXCUSED: Readonly<Record<string, Excuse>> = {
  "row-confirm-rev": { why: COMES_BACK, heals: [12, 32] },
  "row-retire-rev": { why: COMES_BACK, heals: [12, 13] },
  "row-keep-rev": { why: COMES_BACK, heals: [206, 427] },
  "repair-confirm-rev": { why: COMES_BACK, heals: [52, 75] },
  "row-drop-rev": { why: GOES, heals: [12, 74] },
  "row-undo-rev": { why: GOES, heals: [23, 140] },
  "row-stale-rev": { why: GOES, heals: [1, 54] },
  "row-orphan-rev": { why: GOES, heals: [23, 33] },
  "repair-row-rev": { why: GOES, heals: [54, 117] },
  "repair-twin-rev": { why: `As \`repair-row-rev\`, which heals: ${GOES}` },
  "restore-entry-absent": {
    why: "An entry only suggests that there may be a node of its name: over one that stands comes another of the same name, and the collector drops it when the node is gone.",
    heals: [6, 9],
  },
  "loan-absent": {
    why: "A confirmed loan may be written at any time: it says that its host may hold something, and whoever is about to drop it finds another revision.",
  },
  "loan-rev": { why: "As `loan-absent`: what is written is a confirmed loan." },
  "disown-loan-absent": {
    why: "As `loan-absent`; and the next write would write the loan over one that stands.",
  },
  "disown-loan-rev": { why: "As `loan-absent`: what is written is a confirmed loan." },
  "loan-mark-rev": {
    why: "The fence and the look at the block come after the mark, whatever it was written over, and `loan-drop-rev` names the mark. Who relies on the loan took its slots before the fence, and they are seen; or it is shut out, and confirms the loan anew.",
  },
  "release-record-token": {
    why: "Without a key a record lies under an id that is never given twice, and only its author writes it, before it answers. It is what rule 5 asks of every delete.",
  },
  "expired-rev": {
    why: "Without a key a released record changes no more, and its id is never given twice.",
  },
};
