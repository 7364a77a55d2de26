import { readdirSync } from "node:fs";
import { type Complete, RootCommand } from "@bomb.sh/tab";
import type { Command, Option } from "commander";
import { FORMATS } from "../output/print.ts";

/** The script for a shell. */
export const completionScript = (program: string, shell: string): string =>
  printedBy(() => new RootCommand().setup(program, program, shell));

/** What a command line may go on with: a line each, as the script reads them. The last word is the one under way. */
export function completionsOf(program: Command, words: readonly string[]): string {
  const root = new RootCommand();
  const word = words.at(-1) ?? "";
  for (const { path, command } of treeOf(program)) {
    const node =
      path === "" ? root : root.command(path, command.summary() || command.description());
    for (const argument of command.registeredArguments)
      node.argument(argument.name(), offering(argument.argChoices ?? []), argument.variadic);
    const help = command.createHelp();
    for (const option of [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]) {
      if (option.long === undefined) continue;
      const name = option.long.slice(2);
      const alias = option.short?.slice(1);
      if (option.required)
        node.option(name, option.description, offering(valuesOf(option, word)), alias);
      else node.option(name, option.description, alias);
    }
  }
  return printedBy(() => root.parse([...words]));
}

/** The program, and what it has under it, each under its words: `pool get`. */
function treeOf(command: Command, path = ""): readonly { path: string; command: Command }[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .flatMap((child) => treeOf(child, `${path} ${child.name()}`.trim()));
  return [{ path, command }, ...below];
}

/** What an option's value may be: it is told by its placeholder, such as `<file>` or `<true|false>`. */
function valuesOf({ argChoices, flags }: Option, word: string): readonly string[] {
  const [, placeholder = ""] = /<(.+)>/.exec(flags) ?? [];
  if (argChoices) return argChoices;
  if (placeholder.includes("|")) return placeholder.split("|");
  if (placeholder === "format") return FORMATS;
  return placeholder === "file" ? filesAt(word) : [];
}

/** The files whose names begin as the word does. */
function filesAt(word: string): readonly string[] {
  const folder = word.slice(0, word.lastIndexOf("/") + 1);
  try {
    return readdirSync(folder || ".", { withFileTypes: true }).map(
      (entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`,
    );
  } catch {
    return [];
  }
}

const offering = (values: readonly string[]) => (complete: Complete) => {
  for (const value of values) complete(value, "");
};

/** The library prints by itself. */
function printedBy(work: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line) => lines.push(`${line}\n`);
  try {
    work();
  } finally {
    console.log = log;
  }
  return lines.join("");
}
