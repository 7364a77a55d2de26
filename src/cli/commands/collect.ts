import { Command } from "commander";
import { formatTime } from "../../base/time.ts";
import { countsOfSpace } from "../check/counts.ts";
import { findLeaks } from "../check/find-leaks.ts";
import {
  type InventoryOptions,
  inventoryOf,
  sayNothingCovered,
  withInventory,
} from "../check/options.ts";
import { type Leaks, readReport, reportOf } from "../check/report.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { progressing, tellingResult } from "../output/progress.ts";
import type { Column } from "../output/table.ts";
import { CommandError, EXIT, usageError } from "../shell/exit.ts";
import { readIfThere, writeWhole } from "../shell/files.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { assignedIn, readContents } from "../space/contents.ts";
import { type CandidateResult, releaseCandidates } from "./release-report.ts";

interface Options extends InventoryOptions {
  readonly state: string;
}

export const collectCommand = (io: Io): Command =>
  withInventory(printing(new Command("collect")))
    .summary("Release leaked addresses: one run, for a CronJob")
    .description(
      "Release the addresses that two inventories show to be leaked: one run, for a CronJob. The exit code is 4 if the brake is on; nothing is released then.",
    )
    .requiredOption(
      "--state <file>",
      "File with the candidates of the previous run; each run rewrites it before it releases anything",
    )
    .addHelpText(
      "after",
      examples([
        "Release the addresses whose pod or node is gone",
        "plat collect --inventory all.json --covers nodes,pods --state state.json",
      ]),
    )
    .action(action(io, collect));

async function collect({ io, client, print }: Session, options: Options): Promise<void> {
  const { state } = options;
  const inventory = await inventoryOf(io, options);
  if (!inventory)
    throw usageError("--inventory FILE is required; without one, no address counts as leaked.");
  sayNothingCovered(io, inventory);
  const before = (await readIfThere(state)) ?? "";
  const earlier = before.trim() === "" ? [] : readReport(state, before, client.space).candidates;

  const nowMs = io.nowMs();
  const contents = await progressing(io, "contents", (shown) => readContents(client, shown));
  const assigned = assignedIn(contents);
  const leaks = await findLeaks(client, assigned, inventory, { earlier, nowMs, caution: options });
  const counts = countsOfSpace(contents, assigned);
  const report = reportOf({
    space: client.space,
    checkedAtMs: nowMs,
    counts,
    problems: [],
    untidy: [],
    notes: [],
    leaks: { ...leaks, confirmed: [] },
  });
  // Before the first release, so that a state that cannot be written ends this run before it releases anything. The
  // next run drops a released candidate, because its assignment no longer exists.
  await writeWhole(state, `${JSON.stringify(report, null, 2)}\n`);

  const outcomes: CandidateResult[] = [];
  const tell = () => {
    const at = { space: client.space, nowMs, assigned: counts.assigned };
    const summary = summaryOf(leaks, outcomes, at);
    print({
      columns: COLUMNS,
      rows: [summary],
      document: summary,
      names: summary.addresses,
      inOneLine: true,
    });
  };
  await tellingResult(io, outcomes, tell, async (untilInterrupted) => {
    const released = releaseCandidates(client, leaks.confirmed);
    for await (const some of untilInterrupted(released)) outcomes.push(...some);
  });
  if (leaks.brake.applied)
    throw new CommandError(
      EXIT.found,
      `The brake is on: ${leaks.brake.candidates} of ${leaks.brake.judged} addresses seem to have no owner, which is more than ${leaks.brake.percent} %. Nothing was released.`,
    );
}

type Summary = ReturnType<typeof summaryOf>;

const COLUMNS: readonly Column<Summary>[] = [
  { header: "ASSIGNED", value: ({ assigned }) => assigned },
  { header: "JUDGED", value: ({ judged }) => judged },
  { header: "CANDIDATES", value: ({ candidates }) => candidates },
  { header: "NEW", value: ({ newCandidates }) => newCandidates },
  { header: "CONFIRMED", value: ({ confirmed }) => confirmed },
  { header: "RELEASED", value: ({ released }) => released },
  { header: "SKIPPED", value: ({ skipped }) => skipped },
  { header: "BRAKE", value: ({ brake }) => brake },
];

/** Returns the counts of an execution, for monitoring. */
function summaryOf(
  { brake, candidates, confirmed }: Leaks,
  outcomes: readonly CandidateResult[],
  {
    space,
    nowMs,
    assigned,
  }: { readonly space: string; readonly nowMs: number; readonly assigned: number },
) {
  const released = outcomes.filter(({ status }) => status === "released");
  return {
    event: "collected",
    space,
    time: formatTime(nowMs),
    assigned,
    judged: brake.judged,
    candidates: candidates.length,
    newCandidates: candidates.filter(({ firstSeenAtMs }) => firstSeenAtMs === nowMs).length,
    byReason: tally(candidates.map(({ reason }) => reason)),
    confirmed: confirmed.length,
    released: released.length,
    skipped: outcomes.length - released.length,
    brake: brake.applied,
    addresses: released.map(({ address }) => address),
  };
}

function tally(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
