import { Command } from "commander";
import { EXIT } from "../shell/exit.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

/** Makes the command that runs the server on this machine. Its options are those of the server. */
export const serveCommand = (_: Io): Command =>
  new Command("serve")
    .description(
      "Run a server on this machine, until Ctrl-C; `plat serve -- --help` shows its options",
    )
    .argument("[options...]", "Options of the server")
    .allowUnknownOption()
    .addHelpText(
      "after",
      examples(
        ["Keep the data in a directory", "plat serve --data ./data"],
        ["Keep nothing", "plat serve --memory --port 0"],
        ["Show the options", "plat serve -- --help"],
      ),
    )
    .action(async (options: readonly string[]) => {
      // Loaded here, because every other command would pay for the server too.
      const { serveUntilStopped } = await import("../../local/serve.ts");
      const exit = await serveUntilStopped(options, "plat serve");
      if (exit !== EXIT.done) process.exit(exit);
    });
