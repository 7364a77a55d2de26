import { Command, Option } from "commander";
import type * as v from "valibot";
import type { settingsRead } from "../../contract/answers/answers.ts";
import { action, type DryRunOption, type Session, withDryRun } from "../invocation/cli.ts";
import { count, flag, texts } from "../invocation/options.ts";
import { asSeen } from "../resource/change.ts";
import { capital, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";
import { settingText } from "../show/configuration.ts";

type Settings = v.InferOutput<typeof settingsRead>;

const yesOrNo = (name: string, what: string) =>
  new Option(`--${name} <true|false>`, what).argParser(flag);
const number = (name: string, what: string) => new Option(`--${name} <n>`, what).argParser(count);

/** The text for `null` on a command line. */
const NONE = "none";

/** The option of each setting. The first two are calicoctl's. */
const OPTIONS: Readonly<Record<keyof Settings, Option>> = {
  strictAffinity: yesOrNo("strictaffinity", "A host gets addresses only from its own blocks"),
  maxBlocksPerHost: new Option(
    "--max-blocks-per-host <n|none>",
    "Maximum number of blocks of a family for a host",
  ).argParser((text) => (text === NONE ? text : count(text))),
  autoAllocateBlocks: yesOrNo("auto-allocate-blocks", "Hosts claim blocks automatically"),
  warmBlocksPerHost: number(
    "warm-blocks-per-host",
    "Number of empty blocks that a host with addresses keeps",
  ),
  cooldownSeconds: number("cooldown-seconds", "How long a released address is not assigned again"),
  conflictQuarantineSeconds: number(
    "conflict-quarantine-seconds",
    "How long nobody gets an address after a report of a conflict",
  ),
  blockMinAgeSeconds: number(
    "block-min-age-seconds",
    "Minimum age of an empty block before it is deleted",
  ),
  maxAddressesPerRequest: number(
    "max-addresses-per-request",
    "Maximum number of addresses in one request",
  ),
  allowBareRelease: yesOrNo(
    "allow-bare-release",
    "Allow a release that names only an address, without handle or generation",
  ),
  requireRegisteredHosts: yesOrNo(
    "require-registered-hosts",
    "Assign addresses only to registered hosts",
  ),
  nodeQuarantineSeconds: number(
    "node-quarantine-seconds",
    "How long a node that ended keeps what it has",
  ),
  goneNodesPercentMax: number(
    "gone-nodes-percent-max",
    "Share of nodes whose end at once is taken for a mistake",
  ),
  nodeMonitorGraceSeconds: number(
    "node-monitor-grace-seconds",
    "Silence after which a node counts as unreachable, or 0",
  ),
  nodeStartupGraceSeconds: number(
    "node-startup-grace-seconds",
    "Silence after which a node that never reported counts as unreachable",
  ),
  indexedAttributes: new Option(
    "--indexed-attributes <names>",
    "Attributes by which searches read, the narrowest first; none for none",
  ).argParser((text) => (text === NONE ? [] : texts(text))),
};

interface Values extends DryRunOption {
  readonly [option: string]: unknown;
}

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
  for (const option of Object.values(OPTIONS)) command.addOption(option);
  return withDryRun(command, "Say what would change, and change nothing").action(
    action(io, configure),
  );
}

async function configure({ io, client }: Session, values: Values): Promise<void> {
  const asked = Object.entries(OPTIONS)
    .map(([setting, option]) => [setting, values[option.attributeName()]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([setting, value]) => [setting, value === NONE ? null : value] as const);
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
  if (body.effectiveAt !== undefined) io.out(`In force everywhere from ${body.effectiveAt} on\n`);
}
