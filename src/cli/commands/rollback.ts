import { Command } from "commander";
import { DRY_RUN_NOTE } from "../invocation/cli.ts";
import { CommandError, EXIT, usageError } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

interface Options {
  readonly stack: string;
  readonly before?: string;
  readonly profile?: string;
  readonly dryRun?: true;
  /** The global option. */
  readonly region?: string;
}

/** Makes the command that works on a stack of CloudFormation. So it uses the credentials of the operator, and no endpoint. */
export const rollbackCommand = (io: Io): Command =>
  new Command("rollback")
    .summary("Undo the last deployment of the functions of a stack")
    .description(
      "Undo the last deployment of the functions of a stack: requests and scheduled runs use the versions before it within seconds, and nothing else changes. The command uses the credentials and the Region of the AWS command line. The exit code is 1 if no function has anything to go back to.",
    )
    .requiredOption("--stack <name>", "Name of the stack of CloudFormation with the functions")
    .option("--before <time>", "Go back to what was deployed before this time")
    .option("--profile <name>", "Profile of the AWS command line with the credentials")
    .option("--dry-run", "Show what would be rolled back, and change nothing")
    .addHelpText(
      "after",
      examples(
        ["Show what would be rolled back", "plat rollback --stack shop-ipam --dry-run"],
        ["Undo the last deployment", "plat rollback --stack shop-ipam"],
        ["Go further back", "plat rollback --stack shop-ipam --before 2026-01-31T12:00:00Z"],
      ),
    )
    .action((_: object, command: Command) => rollback(io, command.optsWithGlobals<Options>()));

async function rollback(io: Io, options: Options): Promise<void> {
  // Loaded here, because no other command needs the SDK of Lambda, and after its settings.
  await import("../../local/environment.ts");
  if (options.dryRun) io.err(DRY_RUN_NOTE);
  const { RollbackError, rollBack } = await import("../../rollback/roll-back.ts");
  const moved = await rollBack(options, (line) => io.out(`${line}\n`)).catch((error: Error) => {
    if (error instanceof RollbackError) throw usageError(error.message);
    throw new CommandError(
      EXIT.unreachable,
      `AWS did not roll ${options.stack} back: ${error.message || error.name}\nYou can run the command again.`,
    );
  });
  if (moved === 0) throw new CommandError(EXIT.rejected, "No function was rolled back.");
}
