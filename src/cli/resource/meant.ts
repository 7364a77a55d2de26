import type { Command } from "commander";
import { parseAddress } from "../../net/address.ts";
import { KINDS } from "./kind.ts";

/** The verbs of other tools, by the verb of this command. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  get: ["list", "ls", "describe", "show"],
  create: ["add", "new"],
  delete: ["del", "rm", "remove", "destroy"],
  apply: ["edit", "update", "replace", "patch"],
};

/** Verbs of a noun that are commands of their own here: `delete address` is `release --ip`. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "address create": ["assign", "--address"],
  "address delete": ["release", "--ip"],
  "address release": ["release", "--ip"],
  "handle delete": ["release", "--handle"],
  "handle release": ["release", "--handle"],
};

/** Options with a value that may stand before the words of a command. */
const WITH_VALUE = ["--endpoint", "--space", "--region", "--context", "--output", "-o", "-n"];

/**
 * Returns the lines that a person may have meant who knows `kubectl` or `calicoctl`: `pool get` for `get pools`.
 *
 * @param program the command, whose nouns and verbs are looked up
 * @param words a line that the command rejects, without the program's own name
 * @returns lines, each split into words; none if nothing is known about the line
 */
export function linesMeant(
  program: Command,
  words: readonly string[],
): readonly (readonly string[])[] {
  const ordered = nounFirst(program, words) ?? words;
  const lines = spacesNamed(program, ordered);
  const isChanged = lines.some((line) => line.join("\n") !== words.join("\n"));
  return isChanged ? lines : [];
}

/** Returns the first word of a line that should be a command and is none. */
export function unknownCommandIn(program: Command, words: readonly string[]): string | undefined {
  const [at] = operandsIn(words);
  const word = at === undefined ? undefined : words[at];
  return word === undefined || childOf(program, word) ? undefined : word;
}

/** Returns the line in the order of this command: noun, verb, name. Returns nothing if it is in this order. */
function nounFirst(program: Command, words: readonly string[]): readonly string[] | undefined {
  const at = operandsIn(words);
  const [first, second] = at.map((index) => words[index]);
  if (first === undefined) return undefined;
  /** Replaces the first operands of the line. */
  const replace = (number: number, ...by: readonly string[]) => {
    const [start = 0] = at;
    const replaced = new Set(at.slice(0, number));
    return [
      ...words.slice(0, start),
      ...by,
      ...words.slice(start).filter((_, index) => !replaced.has(start + index)),
    ];
  };
  const command = childOf(program, first);
  if (second !== undefined && command?.commands.length === 0)
    return byOption(program, command, second, replace);
  if (command) {
    // A verb or an alias of one is right, and what is wrong stands behind it.
    if (second === undefined || childOf(command, second)) return undefined;
    const verb = verbOf(command, second);
    return verb === undefined ? undefined : replace(2, first, verb);
  }
  if (first === "ipam") return replace(1);
  const plural = nounOf(program, first);
  if (plural) {
    const verb = second === undefined ? undefined : verbOf(plural, second);
    return verb === undefined ? replace(1, plural.name(), "get") : replace(2, plural.name(), verb);
  }
  return verbFirst(program, first, second, replace);
}

type Replace = (number: number, ...by: readonly string[]) => readonly string[];

/** Orders a line such as `delete pool web` or `delete pool/web`. */
function verbFirst(
  program: Command,
  first: string,
  second: string | undefined,
  replace: Replace,
): readonly string[] | undefined {
  if (second === undefined) {
    const pool = childOf(program, "pool") as Command;
    const verb = verbOf(pool, first);
    return verb === undefined ? undefined : replace(1, "pool", verb);
  }
  const [title = "", name] = second.split(/\/(.*)/s);
  const noun = nounOf(program, title);
  if (!noun) return undefined;
  const names = name ? [name] : [];
  const own = Object.keys(VERBS).find((verb) => VERBS[verb]?.includes(first)) ?? first;
  const elsewhere = ELSEWHERE[`${noun.name()} ${own}`];
  if (elsewhere) return replace(2, ...elsewhere, ...names);
  const verb = verbOf(noun, first);
  return verb === undefined ? undefined : replace(2, noun.name(), verb, ...names);
}

/** Names an operand by its option: `release 10.0.0.1` and `release web-0`. */
function byOption(
  program: Command,
  command: Command,
  operand: string,
  replace: Replace,
): readonly string[] | undefined {
  const name = command.name();
  if (command.registeredArguments.length > 0) return undefined;
  if (parseAddress(operand).ok) {
    if (name === "release" || name === "show") return replace(2, name, "--ip", operand);
    return undefined;
  }
  if (name === "show") return verbFirst(program, name, operand, replace);
  return name === "release" ? replace(2, name, "--handle", operand) : undefined;
}

/** Replaces `-n NAME` by the options that name a space or a namespace. */
function spacesNamed(program: Command, words: readonly string[]): readonly (readonly string[])[] {
  const isNamed = words.some((word) => /^-n(=|$)/.test(word));
  if (!isNamed) return [words];
  const [first = "", second = ""] = operandsIn(words).map((index) => words[index]);
  const noun = childOf(program, first);
  const command = (noun && childOf(noun, second)) ?? noun;
  const hasNamespace = command?.options.some(({ long }) => long === "--namespace");
  return ["--space", ...(hasNamespace ? ["--namespace"] : [])].map((option) =>
    words.map((word) => word.replace(/^-n(?==|$)/, option)),
  );
}

/** Returns the places of the words that are neither options nor their values, up to an option of one command. */
function operandsIn(words: readonly string[]): readonly number[] {
  const places: number[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (!word.startsWith("-")) places.push(at);
    else if (WITH_VALUE.includes(word)) at++;
    else if (!WITH_VALUE.some((option) => word.startsWith(`${option}=`))) break;
  }
  return places;
}

const childOf = (command: Command, word: string): Command | undefined =>
  command.commands.find((one) => [one.name(), ...one.aliases()].includes(word)) as
    | Command
    | undefined;

/** Returns the command of a noun, its plural, or a kind of a manifest: `pools`, `ippool`. */
function nounOf(program: Command, word: string): Command | undefined {
  const lower = word.toLowerCase();
  const kind = KINDS.find(({ title }) => [title, `${title}s`].includes(lower));
  const singulars = [kind?.noun, lower, ...singularsOf(lower)];
  const isNoun = ({ commands }: Command) => commands.length > 0;
  return singulars
    .map((noun) => (noun === undefined ? undefined : childOf(program, noun)))
    .find((command) => command && isNoun(command));
}

/** Returns the nouns of which a word may be the plural or the short form. */
const singularsOf = (word: string): readonly string[] => {
  if (["ip", "ips"].includes(word)) return ["address"];
  if (["ns", "no"].includes(word)) return [word === "ns" ? "namespace" : "node"];
  return [word.replace(/s$/, ""), word.replace(/(?<=[sx])es$/, ""), word.replace(/ies$/, "y")];
};

/** Returns the verb of a noun's command that a word means. */
function verbOf(noun: Command, word: string): string | undefined {
  const child = childOf(noun, word);
  if (child) return child.name();
  const own = Object.keys(VERBS).find((verb) => VERBS[verb]?.includes(word));
  return own === undefined ? undefined : childOf(noun, own)?.name();
}
