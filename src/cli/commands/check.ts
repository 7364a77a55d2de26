import { Command } from "commander";
import { countsOfSpace } from "../check/counts.ts";
import { findLeaks } from "../check/find-leaks.ts";
import { confirmedIn, findIn, isClean } from "../check/findings.ts";
import type { Inventory } from "../check/inventory.ts";
import {
  type InventoryOptions,
  inventoryOf,
  sayNothingCovered,
  withInventory,
} from "../check/options.ts";
import { addressDocument, type CheckResult, readReport, reportOf } from "../check/report.ts";
import { checkText, foundSentences, isFound } from "../check/show.ts";
import { action, printing, type Session } from "../invocation/cli.ts";
import { progressing } from "../output/progress.ts";
import { checkNotEmpty } from "../resource/none.ts";
import { CommandError, EXIT, usageError } from "../shell/exit.ts";
import { writeWhole } from "../shell/files.ts";
import { examples } from "../shell/help.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { assignedIn, readContents } from "../space/contents.ts";

interface Options extends InventoryOptions {
  readonly report?: string;
  readonly since?: string;
  readonly showAllIps?: true;
  readonly showProblemIps?: true;
}

export const checkCommand = (io: Io): Command =>
  withInventory(printing(new Command("check")))
    .summary("Check the invariants, and find leaked addresses")
    .description(
      "Check the invariants of the space, and find leaked addresses. The exit code is 4 if the check finds a problem or a candidate for a leak.",
    )
    .option(
      "--report <file>",
      "Write the findings to this file, for --since and `plat release --from-report`",
    )
    .option("--since <file>", "Report of the previous check: its candidates keep their first time")
    .option("--show-all-ips", "Also list every assigned address, with its owner")
    .option("--show-problem-ips", "Also list every address with a problem")
    .addHelpText(
      "after",
      examples(
        ["Check the invariants", "plat check"],
        [
          "Find addresses whose pod is gone",
          "kubectl get nodes,pods -A -o json | plat check --inventory - --covers pods",
        ],
      ),
    )
    .action(action(io, check));

async function check(session: Session, options: Options): Promise<void> {
  const { io, client, print } = session;
  const { report: reportFile, since, showAllIps, showProblemIps = false } = options;
  const inventory = await inventoryOf(io, options);
  if (inventory) sayNothingCovered(io, inventory);
  else if (since !== undefined)
    throw usageError("--since needs an inventory: name it with --inventory FILE.");
  const earlier =
    since === undefined
      ? []
      : readReport(since, await readInput(io, since), client.space).candidates;

  const nowMs = io.nowMs();
  const { contents, findings } = await twice({ io, client }, { nowMs, inventory });
  const assigned = assignedIn(contents);
  const found =
    inventory &&
    (await findLeaks(client, assigned, inventory, { earlier, nowMs, caution: options }));
  const checked: CheckResult = {
    space: client.space,
    checkedAtMs: nowMs,
    counts: countsOfSpace(contents, assigned),
    ...findings,
    leaks: found,
  };
  const rows = (found?.judged ?? assigned).map(addressDocument);
  const document = { ...reportOf(checked), ...(showAllIps && { addresses: rows }) };
  if (reportFile !== undefined)
    await writeWhole(reportFile, `${JSON.stringify(reportOf(checked), null, 2)}\n`);
  print({
    text: (layout) =>
      checkText(
        checked,
        { allAddresses: showAllIps && rows, problemAddresses: showProblemIps },
        layout,
      ),
    document,
    rows,
    names: document.candidates.map(({ address }) => address),
  });
  if (isFound(checked)) throw new CommandError(EXIT.found, foundSentences(checked).join(" "));
  const { pools, blocks, allocations, unreadable } = contents;
  await checkNotEmpty(session, [...pools, ...blocks, ...allocations, ...unreadable], "blocks");
}

/** Reads once, and a second time if there are findings. It reports the findings of both reads. */
async function twice(
  { io, client }: Pick<Session, "io" | "client">,
  at: { readonly nowMs: number; readonly inventory: Inventory | undefined },
) {
  const look = () => progressing(io, "contents", (shown) => readContents(client, shown));
  const contents = await look();
  const findings = findIn(contents, at);
  if (isClean(findings)) return { contents, findings };
  const again = await look();
  return { contents: again, findings: confirmedIn(findings, findIn(again, at)) };
}
