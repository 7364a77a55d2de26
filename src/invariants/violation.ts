/** A state in a table that must never occur. */
export interface Violation {
  /** `I1` … `I19` of DESIGN.md, or `shape` for an item that cannot be right in itself, or `tidy` for left-overs at rest. */
  readonly invariant: string;
  readonly message: string;
}

export const violation = (invariant: string, message: string): Violation => ({
  invariant,
  message,
});
