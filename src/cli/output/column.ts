/** A column of a table: what stands in it of a row; nothing shows as `<none>`, as kubectl does. */
export interface Column<Row> {
  readonly header: string;
  readonly value: (row: Row) => string | number | boolean | undefined;
  /** Only with `-o wide`. */
  readonly wide?: true;
}
