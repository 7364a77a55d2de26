import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  show(row: Row): ComponentChildren;
  /** True for counts, which stand at the right. */
  readonly isCount?: boolean;
}

/** The rows of a table that a user has chosen, by their keys. */
export interface Choice {
  readonly chosen: ReadonlySet<string>;
  choose(chosen: ReadonlySet<string>): void;
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
  /** Present if rows can be chosen. */
  readonly choice?: Choice | undefined;
}) {
  const { label, columns, rows, keyOf, none, choice } = props;
  const [count, setCount] = useState(ROWS_FIRST);
  if (rows.length === 0) return <p class="none">{none}</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll a table that is wider than the page */}
      <section class="table" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {choice && (
                <th scope="col">
                  <Check
                    label="Choose all"
                    isChecked={rows.every((row) => choice.chosen.has(keyOf(row)))}
                    change={(isChecked) => choice.choose(new Set(isChecked ? rows.map(keyOf) : []))}
                  />
                </th>
              )}
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
                {choice && (
                  <td>
                    <Check
                      label={`Choose ${keyOf(row).split(" ")[0]}`}
                      isChecked={choice.chosen.has(keyOf(row))}
                      change={(isChecked) => {
                        const chosen = new Set(choice.chosen);
                        if (isChecked) chosen.add(keyOf(row));
                        else chosen.delete(keyOf(row));
                        choice.choose(chosen);
                      }}
                    />
                  </td>
                )}
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

const Check = (props: {
  readonly label: string;
  readonly isChecked: boolean;
  change(isChecked: boolean): void;
}) => (
  <input
    type="checkbox"
    aria-label={props.label}
    checked={props.isChecked}
    onChange={(event) => props.change(event.currentTarget.checked)}
  />
);
