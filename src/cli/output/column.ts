/** A column of a table: what stands in it of a row; nothing shows as `<none>`, as kubectl does. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number | boolean | undefined;
  /** Only with `-o wide`. */
  readonly wide?: true;
  /** The layout of long values: a sentence or a list wraps, and a name is cut on a terminal. */
  readonly long?: "wrap" | "cut";
  /** Is it a state, such as `done`? A terminal paints it. */
  readonly isState?: true;
}
