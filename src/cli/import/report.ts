import type { Column } from "../output/column.ts";
import type { Listing } from "../output/print.ts";
import type { Counts, Plan } from "./steps.ts";

/** The counts of one kind, planned or done. */
interface Row extends Counts {
  readonly kind: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: "KIND", value: ({ kind }) => kind },
  { header: "CREATE", value: ({ create }) => create },
  { header: "CHANGE", value: ({ change }) => change },
  { header: "UNCHANGED", value: ({ unchanged }) => unchanged },
  { header: "CONFLICTS", value: ({ conflicts }) => conflicts },
];

/** Formats a plan as a table of counts; for programs, with every step. */
export function reportOf(plan: Plan, came: { readonly dryRun: boolean }): Listing<Row> {
  const { counts, conflicts, notes, ...steps } = plan;
  return {
    columns: COLUMNS,
    rows: Object.entries(counts).map(([kind, of]) => ({ kind, ...of })),
    document: { ...came, counts, conflicts, notes, steps },
  };
}

/** Returns true if nothing is left to do. */
export const isNothing = ({ counts, leftovers }: Plan): boolean =>
  leftovers.length === 0 &&
  Object.values(counts).every(({ create, change, conflicts }) => create + change + conflicts === 0);
