import { Command, CommanderError } from "commander";
import { withGlobalOptions } from "./cli.ts";
import { addressCommand } from "./commands/address.ts";
import { affinityCommand } from "./commands/affinity.ts";
import { assignCommand } from "./commands/assign.ts";
import { blockCommand } from "./commands/block.ts";
import { exportCommand } from "./commands/export.ts";
import { handleCommand } from "./commands/handle.ts";
import { importCommand } from "./commands/import.ts";
import { poolCommand } from "./commands/pool.ts";
import { releaseCommand } from "./commands/release.ts";
import { showCommand } from "./commands/show.ts";
import { CommandError, EXIT } from "./exit.ts";
import type { Io } from "./io.ts";

const COMMANDS = [
  poolCommand,
  blockCommand,
  affinityCommand,
  handleCommand,
  addressCommand,
  assignCommand,
  releaseCommand,
  showCommand,
  importCommand,
  exportCommand,
];

/** Runs one command line, without the program's own name; answers the exit code. What it has to say is said by then. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    await programFor(io).parseAsync([...args], { from: "user" });
    return EXIT.done;
  } catch (error) {
    // Commander has said what is wrong with the line, or has shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (!(error instanceof CommandError)) throw error;
    io.err(`plat: ${error.message}\n`);
    return error.exit;
  }
}

/** The whole command: what it can do, and what its help says. */
export function programFor(io: Io): Command {
  const program = withGlobalOptions(
    new Command("plat").description("Operates Plat, an IP address manager, over its API"),
  );
  for (const make of COMMANDS) program.addCommand(make(io));
  for (const command of [program, ...descendants(program)])
    command
      .exitOverride()
      .configureOutput({ writeOut: io.out, writeErr: io.err })
      .showHelpAfterError("(--help shows what there is)");
  return program;
}

const descendants = (command: Command): Command[] =>
  command.commands.flatMap((child) => [child as Command, ...descendants(child as Command)]);
