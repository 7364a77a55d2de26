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
      "repair_fence",
      "handle_fence",
      "repair_release_fence",
      "allocation_after_epoch",
      "no_blind_retry",
      "unknown_fence",
      "repair_rev",
      "end_rev",
      "end_whole_rev",
      "free_tag",
    ],
    holds: ["repair_released_rev", "release_allocation_token"],
  },
  {
    name: "I4",
    file: "i4.pml",
    breaks: ["restore", "group_first"],
    holds: [
      "affinity_first",
      "place_absent",
      "affinity_confirm_rev",
      "affinity_undo_rev",
      "affinity_retire_rev",
      "affinity_drop_rev",
      "affinity_keep_rev",
      "repair_affinity_rev",
      "repair_duplicate_rev",
      "repair_confirm_rev",
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
      "repair_fence",
      "replay_fence",
      "allocation_after_epoch",
      "no_blind_retry",
      "unknown_fence",
      "allocation_absent",
      "allocation_rev",
      "withdraw_rev",
      "repair_rev",
      "end_rev",
      "mark_first",
    ],
    holds: ["own_token_first", "replay_reread", "mark_token", "mark_live"],
  },
  {
    name: "I8-repeats",
    file: "i8.pml",
    constants: { REPEATS: "true" },
    breaks: ["own_token_first"],
    holds: [],
  },
  {
    name: "I8-pending",
    file: "i8-pending.pml",
    breaks: [
      "take_epoch",
      "handle_fence",
      "unknown_fence",
      "replay_abort_fence",
      "repair_abort_fence",
      "new_tokens",
      "allocation_rev",
      "withdraw_rev",
      "end_rev",
      "end_delete_rev",
      "replay_abort_rev",
      "repair_abort_rev",
      "repair_aborted_rev",
      "abort_rev",
      "pending_live",
      "pending_live_rev",
      "abort_mark",
    ],
    holds: ["abort_first"],
  },
];
