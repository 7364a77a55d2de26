import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useNavigation } from "../state/navigation.tsx";
import { matching, type Order, orderAfter, orderIn, sorted, type Value } from "./arrange.ts";
import { number } from "./usage-bar.tsx";

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  show(row: Row): ComponentChildren;
  /** Returns what a cell has for a filter and an order. Without it, the column takes part in neither. */
  value?(row: Row): Value;
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

/**
 * A table. A long one shows its first rows, and more on request. If columns have values, users filter and sort the
 * rows, and the address of the page has both: `filter=web&sort=-In use`. A page has one such table.
 * On a narrow screen a row is a card: its first cell is the title, and the others say which column they are of.
 */
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
  const { label, columns, keyOf, none, choice } = props;
  const { place, see } = useNavigation();
  const [count, setCount] = useState(ROWS_FIRST);
  if (props.rows.length === 0) return <p class="none">{none}</p>;
  const canArrange = columns.some(({ value }) => value);
  const filter = (canArrange && place.view.filter) || "";
  const order = canArrange ? orderIn(place.view.sort ?? "") : undefined;
  const rows = sorted(matching(props.rows, columns, filter), columns, order);
  const filterBy = (text: string) => {
    // A row that is not seen is not chosen: nobody releases what a filter hides.
    choice?.choose(
      new Set(
        matching(props.rows, columns, text)
          .map(keyOf)
          .filter((key) => choice.chosen.has(key)),
      ),
    );
    see({ filter: text });
  };
  return (
    <>
      {canArrange && (props.rows.length > 1 || filter !== "") && (
        <p class="filter">
          <input
            type="search"
            aria-label={`Filter: ${label}`}
            placeholder="Filter"
            autocomplete="off"
            value={filter}
            onInput={(event) => filterBy(event.currentTarget.value)}
          />
          <output>
            {filter !== "" && `${number(rows.length)} of ${number(props.rows.length)}`}
          </output>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll a table that is wider than the page */}
      <section class="table" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {choice && (
                <th scope="col">
                  <Check
                    label="Choose all"
                    isChecked={
                      rows.length > 0 && rows.every((row) => choice.chosen.has(keyOf(row)))
                    }
                    change={(isChecked) => choice.choose(new Set(isChecked ? rows.map(keyOf) : []))}
                  />
                </th>
              )}
              {columns.map((column) => (
                <Title
                  key={column.title}
                  column={column}
                  order={order}
                  sort={(sort) => see({ sort })}
                />
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
                  <td key={title} data-title={title} class={isCount ? "count" : undefined}>
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

/** The title of a column. If rows can be sorted by it, it is a button. */
function Title<Row>(props: {
  readonly column: Column<Row>;
  readonly order: Order | undefined;
  sort(order: string): void;
}) {
  const { column, order, sort } = props;
  const { title, isCount } = column;
  const direction =
    order?.title !== title ? "none" : order.isDescending ? "descending" : "ascending";
  return (
    <th
      scope="col"
      class={isCount ? "count" : undefined}
      aria-sort={column.value ? direction : undefined}
    >
      {column.value ? (
        <button type="button" onClick={() => sort(orderAfter(order, column))}>
          {title}
          <span aria-hidden="true">{ARROWS[direction]}</span>
        </button>
      ) : (
        title
      )}
    </th>
  );
}

const ARROWS = { none: "", ascending: " ↑", descending: " ↓" } as const;

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
