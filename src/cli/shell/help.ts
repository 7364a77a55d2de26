import { type Command, Help, type HelpConfiguration } from "commander";
import { styleOf } from "./style.ts";

/** An example: its purpose, and its line as a person types it. */
export type Example = readonly [what: string, line: string];

/** Returns the examples of a command, for the end of its help. */
export const examples =
  (...shown: readonly Example[]) =>
  ({ command }: { readonly command: Command }): string =>
    [
      "",
      command.createHelp().styleTitle("Examples:"),
      ...shown.map(([what, line]) => `  # ${what}\n  ${line}\n`),
    ]
      .join("\n")
      .trimEnd();

const base = new Help();
const STYLE = styleOf(true);

/** The format of all help texts: required options appear in the usage and are marked, and aliases have their own line. */
export const HELP: HelpConfiguration = {
  showGlobalOptions: true,
  // Commander removes the styles if the stream shows no colors.
  styleTitle: STYLE.strong,
  styleCommandText: STYLE.strong,
  styleSubcommandTerm: STYLE.good,
  styleOptionTerm: STYLE.good,
  styleArgumentTerm: STYLE.good,
  minWidthToWrap: 30,
  commandUsage(command) {
    const names: string[] = [];
    for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name());
    const required = command.options.filter(({ mandatory }) => mandatory);
    return [...names, ...required.map(longFlags), command.usage()].join(" ");
  },
  commandDescription(command) {
    const aliases = command.aliases();
    return `${command.description()}${aliases.length > 0 ? `\n\nAliases: ${aliases.join(", ")}` : ""}`;
  },
  subcommandTerm: (command) =>
    [command.name(), ...command.registeredArguments.map(argumentText)].join(" "),
  optionDescription: (option) =>
    `${base.optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
};

/** Returns `--filename <file>` of `-f, --filename <file>`. */
const longFlags = ({ flags }: { readonly flags: string }) => flags.replace(/^-\w, /, "");

function argumentText(argument: Command["registeredArguments"][number]): string {
  const text = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}
