import { Command } from "commander";
import { DEPLOYED_OPTION, SERVER_VARIABLES, shownOptions } from "../../base/server-options.ts";
import { EXIT } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

/** Runs the server with its own command line, and returns the exit code of one that could not start. */
type Serve = (args: readonly string[], command: string) => Promise<number>;

/** Loaded when it is called, because every other command would pay for the server too. */
const serveHere: Serve = async (args, command) =>
  (await import("../../local/serve.ts")).serveUntilStopped(args, command);

/** Makes the command that runs the server on this machine. Its options are those of the server, which reads them itself. */
export function serveCommand(_: Io, serve: Serve = serveHere): Command {
  const command = new Command("serve")
    .description("Run a server on this machine, until Ctrl-C")
    // Those of the twin, which only a clone can run.
    .argument("[options...]", "Options of the deployment, with --deployed")
    .allowUnknownOption()
    .addHelpText(
      "after",
      examples(
        ["Keep the data in a directory", "plat serve --data ./data"],
        ["Keep nothing", "plat serve --memory --port 0"],
      ),
    )
    .addHelpText("after", SERVER_VARIABLES)
    .action(async (others: readonly string[], options: Readonly<Record<string, string | true>>) => {
      const exit = await serve([...wordsOf(command, options), ...others], "plat serve");
      if (exit !== EXIT.done) process.exit(exit);
    });
  for (const [flags, words] of [...shownOptions(), DEPLOYED_OPTION]) command.option(flags, words);
  return command;
}

/** Returns the options as a person types them, for the server to read. */
const wordsOf = (
  { options }: Command,
  given: Readonly<Record<string, string | true>>,
): readonly string[] =>
  options.flatMap((option) => {
    const value = given[option.attributeName()];
    if (value === undefined) return [];
    return value === true ? [`${option.long}`] : [`${option.long}=${value}`];
  });
