/** A column of a table: what stands in it of a row; nothing shows as `<none>`, as kubectl does. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number | boolean | undefined;
  /** Only with `-o wide`. */
  readonly wide?: true;
  /** What may be long: a sentence or a list, which goes over several lines; or a name, which a terminal cuts. */
  readonly long?: "wrap" | "cut";
  /** Is it a state, such as `done`? A terminal paints it. */
  readonly isState?: true;
}
