/** What is searched: a model file, and what taking a rule, or a clause or step of one, out of it must come to. */
export interface Configuration {
  readonly name: string;
  readonly file: string;
  /** Constants that are not as the file has them. */
  readonly constants?: Readonly<Record<string, string>>;
  /** Without one of these the invariant breaks. */
  readonly breaks: readonly string[];
  /** Without one of these it holds here all the same; `docs/protocol.md` says why. */
  readonly holds: readonly string[];
}

/** The names are those of `clauses.pml`. */
export const CONFIGURATIONS: readonly Configuration[] = [
  {
    name: "I1",
    file: "i1.pml",
    breaks: ["take_slot", "free_tag", "block_absent"],
    holds: [],
  },
  {
    name: "I3",
    file: "i3.pml",
    breaks: [
      "take_epoch",
      "collect_fence",
      "handle_fence",
      "collect_release_fence",
      "record_after_epoch",
      "no_blind_retry",
      "unknown_fence",
      "collect_rev",
      "end_rev",
      "end_whole_rev",
      "free_tag",
    ],
    holds: ["collect_released_rev", "release_record_token"],
  },
  {
    name: "I4",
    file: "i4.pml",
    breaks: ["restore", "cell_first"],
    holds: [
      "row_first",
      "place_absent",
      "row_confirm_rev",
      "row_undo_rev",
      "row_retire_rev",
      "row_drop_rev",
      "row_keep_rev",
      "collect_row_rev",
      "collect_twin_rev",
      "collect_confirm_rev",
    ],
  },
  {
    name: "I6",
    file: "i6.pml",
    breaks: ["delete_rev", "take_over_rev", "idle_rev", "take_revision", "take_unidle", "min_age"],
    holds: ["take_over_epoch"],
  },
  {
    name: "I8",
    file: "i8.pml",
    breaks: [
      "take_epoch",
      "collect_fence",
      "resume_fence",
      "record_after_epoch",
      "no_blind_retry",
      "unknown_fence",
      "record_absent",
      "record_rev",
      "give_up_rev",
      "collect_rev",
      "end_rev",
      "mark_first",
    ],
    holds: ["own_tag_first", "resume_reread", "mark_token", "mark_live"],
  },
  {
    name: "I8-repeats",
    file: "i8.pml",
    constants: { REPEATS: "true" },
    breaks: ["own_tag_first"],
    holds: [],
  },
  {
    name: "I8-head",
    file: "i8-head.pml",
    breaks: [
      "take_epoch",
      "handle_fence",
      "unknown_fence",
      "resume_abort_fence",
      "collect_abort_fence",
      "new_tokens",
      "record_rev",
      "give_up_rev",
      "end_rev",
      "end_delete_rev",
      "resume_abort_rev",
      "collect_abort_rev",
      "collect_aborted_rev",
      "abort_rev",
      "head_live",
      "head_live_rev",
      "abort_mark",
    ],
    holds: ["abort_first"],
  },
];
