import { readdirSync } from "node:fs";
import { type Complete, RootCommand } from "@bomb.sh/tab";
import type { Command } from "commander";
import { FORMATS } from "../output/print.ts";
import { isNamed } from "./names.ts";

/** Returns the script for a shell. */
export const completionScript = (program: string, shell: string): string =>
  printedBy(() => new RootCommand().setup(program, program, shell));

/** A placeholder for a file or a folder. Commander marks an option of several values by three dots. */
const FILE = /^(file|folder|directory|map|trace)(\.{3})?$/;

/** Returns the names for a placeholder such as `pool`. */
type Names = (placeholder: string) => Promise<readonly string[]>;

/**
 * Returns the possible continuations of a command line: one per line, as the script reads them. The last word is
 * incomplete. It calls the API only if the line continues with a name.
 */
export async function completionsOf(
  program: Command,
  words: readonly string[],
  names: Names,
): Promise<string> {
  const asked = new Set<string>();
  const withoutNames = complete(program, words, (placeholder) => {
    asked.add(placeholder);
    return [];
  });
  const [placeholder] = asked;
  if (placeholder === undefined) return withoutNames;
  const known = await names(placeholder);
  return complete(program, words, () => known);
}

function complete(
  program: Command,
  words: readonly string[],
  namesOf: (placeholder: string) => readonly string[],
): string {
  const root = new RootCommand();
  const word = words.at(-1) ?? "";
  const valuesOf = (placeholder: string, choices: readonly string[] | undefined) => {
    if (choices) return choices;
    if (placeholder.includes("|")) return placeholder.split("|");
    if (placeholder === "format") return FORMATS;
    if (FILE.test(placeholder)) return filesAt(word);
    // `<pool or CIDR>` mostly stands for a pool.
    const [what = ""] = placeholder.split(" ");
    return isNamed(what) ? namesOf(what) : [];
  };
  for (const { path, command } of treeOf(program)) {
    const node =
      path === "" ? root : root.command(path, command.summary() || command.description());
    for (const argument of command.registeredArguments) {
      const values = () => valuesOf(argument.name(), argument.argChoices);
      node.argument(argument.name(), offering(values), argument.variadic);
    }
    const help = command.createHelp();
    for (const option of [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]) {
      if (option.long === undefined) continue;
      const name = option.long.slice(2);
      const alias = option.short?.slice(1);
      const [, placeholder = ""] = /<(.+)>/.exec(option.flags) ?? [];
      const values = () => valuesOf(placeholder, option.argChoices);
      if (option.required) node.option(name, option.description, offering(values), alias);
      else node.option(name, option.description, alias);
    }
  }
  return printedBy(() => root.parse([...withoutAliases(program, words)]));
}

/** Returns the words of a line with each command's own name; the last word stays as it is, because it is incomplete. */
function withoutAliases(program: Command, words: readonly string[]): readonly string[] {
  let command = program;
  return words.map((word, at) => {
    const child = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (!child || at === words.length - 1) return word;
    command = child as Command;
    return child.name();
  });
}

/** Lists the program and its commands, each under its words: `pool get`. */
function treeOf(command: Command, path = ""): readonly { path: string; command: Command }[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .flatMap((child) => treeOf(child, `${path} ${child.name()}`.trim()));
  return [{ path, command }, ...below];
}

/** Lists the files whose names begin with the word. */
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

const offering = (values: () => readonly string[]) => (offer: Complete) => {
  for (const value of values()) offer(value, "");
};

/** Returns the output of the library. */
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
