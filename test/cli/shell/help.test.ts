import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { programFor } from "../../../src/cli/program.ts";
import type { Io } from "../../../src/cli/shell/io.ts";

const WIDTH_MAX = 80;

/** Makes the parts of the world that a help uses. */
const ioOf = (out = (_: string) => {}, err = out): Io =>
  ({
    out,
    err,
    terminal: { columns: undefined, outHasColors: false, errHasColors: false },
    outlastReader: () => {},
  }) as Partial<Io> as Io;

/** Returns the help of a command, as `--help` prints it without the width of a terminal. */
function helpOf(words: readonly string[]): string {
  let out = "";
  const io = ioOf((text) => {
    out += text;
  });
  const program = programFor(io);
  find(program, words).outputHelp();
  return out;
}

const find = (program: Command, words: readonly string[]): Command =>
  words.reduce(
    (command, word) => command.commands.find((one) => one.name() === word) as Command,
    program,
  );

/** Returns every command that the help shows, under its words. */
function pathsOf(command: Command, path: readonly string[] = []): (readonly string[])[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .flatMap((child) => pathsOf(child, [...path, child.name()]));
  return [path, ...below];
}

const PATHS = pathsOf(programFor(ioOf()));

/** Returns the lines of `plat` among the examples of a help, each split into words as by a shell. */
const examplesIn = (help: string): (readonly string[])[] => {
  const [, shown = ""] = help.split("\nExamples:\n");
  return [...shown.matchAll(/(?:^ {2}|\| |<\()plat (.*?)(?: > .*|\))?$/gm)].map(([, line = ""]) =>
    [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", "")),
  );
};

describe("the help", () => {
  it.each(PATHS)("has no `a` before a vowel: %j", (...words) => {
    expect(helpOf(words)).not.toMatch(/\ba\s+[aeio]/i);
  });

  it("shows the commands in groups, what is used daily first", () => {
    const headings = [...helpOf([]).matchAll(/^(\w[\w ]+:)\n {2}[a-z]/gm)].map(([, one]) => one);
    expect(headings).toEqual([
      "Addresses:",
      "Pools and settings:",
      "Blocks and hosts:",
      "Jobs and checks:",
      "Server and access:",
      "Deployment:",
      "Import and export:",
      "Shell completion and help:",
    ]);
    expect(helpOf([])).toMatch(/Addresses:\n {2}assign +Assign addresses/);
    expect(helpOf([])).not.toContain("complete ");
  });

  it("marks required options, and shows them in the usage", () => {
    const help = helpOf(["affinity", "ensure"]);
    expect(help).toMatch(/^Usage: plat affinity ensure --host <host> --family <4\|6> \[options\]/);
    expect(help).toMatch(/--host <host> +.*\(required\)/);
    expect(help).not.toMatch(/--pool <.*\(required\)/);
  });

  it("names the aliases of a command", () => {
    expect(helpOf(["pool", "get"])).toContain("\nAliases: list, ls, describe\n");
  });

  it.each(PATHS.map((path) => [["plat", ...path].join(" "), path] as const))(
    "of `%s` fits a terminal, and has examples that the command takes",
    async (_, path) => {
      const help = helpOf(path);
      expect(help.split("\n").filter((line) => line.length > WIDTH_MAX)).toEqual([]);
      const lines = examplesIn(help);
      expect(lines.length).toBeGreaterThan(0);
      for (const words of lines) {
        const err: string[] = [];
        const say = (text: string) => void err.push(text);
        const program = programFor(ioOf(() => {}, say));
        for (const one of PATHS) find(program, one).action(() => {});
        await program.parseAsync([...words], { from: "user" }).catch((error) => {
          if (error.exitCode !== 0) say(`${error}`);
        });
        expect({ words, err }).toEqual({ words, err: [] });
        expect(words.slice(0, path.length)).toEqual(path);
      }
    },
  );

  it("begins each sentence with a capital letter, and ends no line of a list with a full stop", () => {
    const commands = PATHS.map((path) => find(programFor(ioOf()), path));
    const texts = commands.flatMap((command) => [
      command.summary() || command.description(),
      ...command.options.map(({ description }) => description),
      ...command.registeredArguments.map(({ description }) => description),
    ]);
    expect(texts.filter((text) => !/^[A-Z][^\n]*[^.\s]$/.test(text))).toEqual([]);
  });
});
