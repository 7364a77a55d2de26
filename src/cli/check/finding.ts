/** A finding of a check. */
export interface Finding {
  /** `I1` … `I19` of DESIGN.md, `shape`, `limit` or `tidy`; `unassigned`, `no_active_pool` and `no_node` come from an inventory. */
  readonly kind: string;
  readonly message: string;
  /** The addresses of the finding, if it concerns any. */
  readonly addresses?: readonly string[];
}
