import type { Session } from "../invocation/cli.ts";
import type { Confirm } from "../invocation/confirm.ts";
import { counted } from "../output/count.ts";
import type { Listing } from "../output/print.ts";
import { progressing } from "../output/progress.ts";
import { type Column, tableText } from "../output/table.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { styleOf } from "../shell/style.ts";
import { carryOut } from "./carry-out.ts";
import { readCurrent } from "./current.ts";
import type { Conflict, Desired } from "./desired.ts";
import { previewImport } from "./dry-run.ts";
import { planOf } from "./plan.ts";
import type { Plan, StepCounts } from "./steps.ts";

/**
 * Brings Plat to the desired state: it reads the current state, plans, and stops before the first write if there is a
 * conflict. The next run completes an interrupted one.
 *
 * @param confirm asks with the plan before the first write
 */
export async function importCluster(
  session: Session,
  desired: Desired,
  { dryRun, confirm }: { readonly dryRun?: true | undefined; readonly confirm: Confirm },
): Promise<void> {
  const { io, client, print } = session;
  const plan = await progressing(io, "looking at what Plat has", async (shown): Promise<Plan> => {
    const planned = planOf(desired, await readCurrent(client, desired, shown));
    const rejected = await previewImport(client, planned);
    return rejected.length === 0 ? planned : withConflicts(planned, rejected);
  });
  if (plan.conflicts.length > 0 || dryRun) {
    print(reportOf(plan, { dryRun: true }));
    if (plan.conflicts.length > 0) throw inConflict(plan.conflicts);
    return;
  }
  if (isNothing(plan)) {
    print(reportOf(plan, { dryRun: false }));
    io.err("Note: everything exists already; nothing was written.\n");
    return;
  }
  await confirm(async () => {
    const { columns, rows } = reportOf(plan, { dryRun: true });
    const { columns: width, errHasColors } = io.terminal;
    const layout = { isWide: false, columns: width, style: styleOf(errHasColors) };
    io.err(tableText(columns, rows, layout));
    return `Import this into space ${client.space}?`;
  });
  await progressing(io, "importing", (shown) => carryOut(client, io, plan, shown));
  print(reportOf(plan, { dryRun: false }));
}

const CONFLICTS_SHOWN_MAX = 100;

function inConflict(conflicts: readonly Conflict[]): CommandError {
  const lines = conflicts
    .slice(0, CONFLICTS_SHOWN_MAX)
    .map(({ kind, name, problem }) => `${kind} ${name} ${problem}`);
  const more = conflicts.length - lines.length;
  const all = more > 0 ? [...lines, `and ${more} more, which -o json lists`] : lines;
  return new CommandError(
    EXIT.rejected,
    `${counted(conflicts.length, "conflict")}; nothing was written.\n${all.join("\n")}`,
  );
}

/** Adds the writes that the API rejects to the plan as conflicts. */
function withConflicts(plan: Plan, rejected: readonly Conflict[]): Plan {
  const counts = { ...plan.counts };
  for (const { kind } of rejected) {
    const name = kind === "pool" || kind === "reservation" ? `${kind}s` : "configuration";
    const before = counts[name];
    if (before) counts[name] = { ...before, conflicts: before.conflicts + 1 };
  }
  return { ...plan, counts, conflicts: [...plan.conflicts, ...rejected] };
}

/** The counts of one kind, planned or done. */
interface Row extends StepCounts {
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
function reportOf(plan: Plan, came: { readonly dryRun: boolean }): Listing<Row> {
  const { counts, conflicts, notes, ...steps } = plan;
  return {
    columns: COLUMNS,
    rows: Object.entries(counts).map(([kind, of]) => ({ kind, ...of })),
    document: { ...came, counts, conflicts, notes, steps },
  };
}

/** Returns true if nothing is left to do. */
const isNothing = ({ counts, leftovers }: Plan): boolean =>
  leftovers.length === 0 &&
  Object.values(counts).every(({ create, change, conflicts }) => create + change + conflicts === 0);
