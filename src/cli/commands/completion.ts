import { Argument, Command } from "commander";
import { clientOfLine } from "../invocation/connection.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"];

/** Makes `plat completion bash`, which prints a script that runs `plat complete` at every press of the tab key. */
export const completionCommand = (io: Io): Command =>
  new Command("completion")
    .description("Print the completion script of a shell")
    .addArgument(new Argument("<shell>", "The shell").choices(SHELLS))
    .addHelpText(
      "after",
      examples(
        ["Complete in this bash", "source <(plat completion bash)"],
        ["Complete in this zsh", "source <(plat completion zsh)"],
      ),
    )
    .action(async (shell: string, _: object, { parent }: Command) => {
      const { completionScript } = await import("../completion/completions.ts");
      if (parent) io.out(completionScript(parent.name(), shell));
    });

/**
 * Makes `plat complete -- pool ge`, which prints the possible continuations of the words. It is for the scripts, so the
 * help does not show it.
 */
export const completeCommand = (io: Io): Command =>
  new Command("complete")
    .argument("[words...]")
    .action(async (words: readonly string[], _: object, { parent }: Command) => {
      const { completionsOf } = await import("../completion/completions.ts");
      const { namesFor } = await import("../completion/names.ts");
      const names = async (placeholder: string) => {
        try {
          return await namesFor(placeholder, await clientOfLine(io, words));
        } catch {
          // The line has an invalid endpoint or space. The command itself will report it.
          return [];
        }
      };
      if (parent) io.out(await completionsOf(parent, words, names));
    });
