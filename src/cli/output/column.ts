/** A column of a table. An undefined value shows as `<none>`, as in kubectl. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number | boolean | undefined;
  /** Shown only with `-o wide`. */
  readonly wide?: true;
  /** The layout of long values: a sentence or a list wraps, and a name is cut on a terminal. */
  readonly long?: "wrap" | "cut";
  /** Marks a state, such as `done`. A terminal shows it in color. */
  readonly isState?: true;
}
