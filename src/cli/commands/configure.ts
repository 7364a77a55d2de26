import { Command } from "commander";
import { asSeen } from "../../client/request.ts";
import { SETTINGS } from "../../nouns/settings/contract/request.ts";
import { action, type DryRunOption, type Session, withDryRun } from "../invocation/cli.ts";
import { fieldsIn, withFields } from "../invocation/field-options.ts";
import type { Column } from "../output/table.ts";
import { capital, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import type { SettingsRead } from "../space/configuration.ts";

export function configureCommand(io: Io): Command {
  const command = new Command("configure")
    .summary("Change the settings of the space")
    .description("Change the settings of the space; `plat show --show-configuration` shows them")
    .addHelpText(
      "after",
      examples(
        ["Let hosts use only their own blocks", "plat configure --strictaffinity true"],
        ["Remove the limit of blocks per host", "plat configure --max-blocks-per-host none"],
        ["Check a change without making it", "plat configure --cooldown-seconds 60 --dry-run"],
      ),
    );
  return withDryRun(
    withFields(command, SETTINGS),
    "Say what would change, and change nothing",
  ).action(action(io, configure));
}

async function configure({ io, client }: Session, values: DryRunOption): Promise<void> {
  const asked = Object.entries(fieldsIn(SETTINGS, values));
  if (asked.length === 0)
    throw usageError("Name at least one setting; `plat configure --help` lists them.");
  const seen = await client.readConfiguration();
  const { body } = await client.putConfiguration({
    dryRun: values.dryRun,
    body: { ...seen.body, ...Object.fromEntries(asked) },
    ...asSeen(seen),
  });
  // As calicoctl writes them: `StrictAffinity`.
  const done = values.dryRun ? "Would set" : "Successfully set";
  for (const [setting, value] of asked)
    io.out(`${done} ${capital(setting)} to: ${settingText(value)}\n`);
  if (body.effectiveAt !== undefined) io.out(`Takes effect everywhere by ${body.effectiveAt}\n`);
}

const COLUMNS: readonly Column<readonly [string, SettingsRead[keyof SettingsRead]]>[] = [
  { header: "PROPERTY", value: ([name]) => name },
  { header: "VALUE", value: ([, value]) => settingText(value) },
];

/** Prints the settings of the space, with defaults for unset ones. */
export async function showConfiguration({ client, print }: Session): Promise<void> {
  const { body } = await client.readConfiguration();
  print({ columns: COLUMNS, rows: Object.entries(body), document: body });
}

/** Returns the text of a setting; `none` for an absent limit or an empty list. */
const settingText = (value: unknown): string =>
  Array.isArray(value) ? value.join(",") || "none" : String(value ?? "none");
