import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  show(row: Row): ComponentChildren;
  /** True for counts, which stand at the right. */
  readonly isCount?: boolean;
}

const ROWS_FIRST = 100;
const ROWS_MORE = 400;

/** A table. A long one shows its first rows, and more on request. */
export function Table<Row>(props: {
  /** A name for the rows, for a screen reader. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** The sentence in place of a table without rows. */
  readonly none: string;
}) {
  const { label, columns, rows, keyOf, none } = props;
  const [count, setCount] = useState(ROWS_FIRST);
  if (rows.length === 0) return <p class="none">{none}</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll a table that is wider than the page */}
      <section class="table" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ title, isCount }) => (
                <th key={title} scope="col" class={isCount ? "count" : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, count).map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ title, show, isCount }) => (
                  <td key={title} class={isCount ? "count" : undefined}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > count && (
        <button type="button" onClick={() => setCount(count + ROWS_MORE)}>
          Show more of the {rows.length}
        </button>
      )}
    </>
  );
}
