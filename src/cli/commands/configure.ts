import { Command, Option } from "commander";
import type * as v from "valibot";
import type { settingsRead, settingsWritten } from "../../edge/answers.ts";
import { action, type Session } from "../cli.ts";
import { path } from "../client.ts";
import { usageError } from "../exit.ts";
import type { Io } from "../io.ts";
import { count, flag } from "../options.ts";
import { matching } from "../resource/change.ts";

type Settings = v.InferOutput<typeof settingsRead>;

const yesOrNo = (name: string, what: string) =>
  new Option(`--${name} <true|false>`, what).argParser(flag);
const number = (name: string, what: string) => new Option(`--${name} <n>`, what).argParser(count);

/** What `null` is on a command line. */
const NONE = "none";

/** The option of each setting. The first two are calicoctl's. */
const OPTIONS: Readonly<Record<keyof Settings, Option>> = {
  strictAffinity: yesOrNo("strictaffinity", "a host gets addresses of its own blocks only"),
  maxBlocksPerHost: new Option(
    "--max-blocks-per-host <n|none>",
    "how many blocks of a family a host may have",
  ).argParser((text) => (text === NONE ? text : count(text))),
  autoAllocateBlocks: yesOrNo("auto-allocate-blocks", "blocks are claimed by themselves"),
  warmBlocksPerHost: number("warm-blocks-per-host", "empty blocks that a host in use may keep"),
  cooldownSeconds: number("cooldown-seconds", "how long a released address rests"),
  blockMinAgeSeconds: number("block-min-age-seconds", "how old a block is before it is given up"),
  maxAddressesPerRequest: number("max-addresses-per-request", "how many may be asked for at once"),
  allowBareRelease: yesOrNo("allow-bare-release", "a release may name an address and no more"),
  requireRegisteredHosts: yesOrNo("require-registered-hosts", "only registered hosts are served"),
};

interface Values {
  readonly dryRun?: true;
  readonly [option: string]: unknown;
}

export function configureCommand(io: Io): Command {
  const command = new Command("configure").description("changes what holds for the whole space");
  for (const option of Object.values(OPTIONS)) command.addOption(option);
  return command.option("--dry-run", "only says what would be set").action(action(io, configure));
}

async function configure({ io, client }: Session, values: Values): Promise<void> {
  const asked = Object.entries(OPTIONS)
    .map(([setting, option]) => [setting, values[option.attributeName()]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([setting, value]) => [setting, value === NONE ? null : value] as const);
  if (asked.length === 0) throw usageError("Nothing is to be set; --help shows what can be.");
  const seen = await client.call<Settings>({ method: "GET", path: path`/v1/config` });
  const { body } = await client.call<v.InferOutput<typeof settingsWritten>>({
    method: "PUT",
    path: path`/v1/config`,
    query: { dryRun: values.dryRun },
    body: { ...seen.body, ...Object.fromEntries(asked) },
    ...matching(seen),
  });
  const done = body.dryRun ? "Would set" : "Successfully set";
  for (const [setting, value] of asked)
    io.out(`${done} ${capital(setting)} to: ${value ?? NONE}\n`);
  if (body.effectiveAt !== undefined) io.out(`In force everywhere from ${body.effectiveAt} on\n`);
}

/** As calicoctl writes them: `StrictAffinity`. */
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
