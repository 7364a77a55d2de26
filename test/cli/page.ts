/** A command of a page, and what the page shows below it. */
export interface Step {
  /** The number of the command's line. */
  readonly line: number;
  /** The command as a user types it, in as many lines as on the page. */
  readonly command: string;
  readonly shown: readonly string[];
}

/**
 * The placeholder for any text of at least one character within a line of a page. More than one in a row count as one,
 * so that columns can be aligned.
 */
const ANYTHING = /…+/;
const FENCE = "```";
const PROMPT = "$ ";
const MORE = "> ";

/**
 * Returns the commands of a page in Markdown. A command is a line of a code block that begins with `$ `, and the lines
 * with `> ` right below it continue it. The lines up to the next command or the end of the block are its output. Blocks
 * that do not begin with a command contain none.
 */
export function stepsOf(markdown: string): readonly Step[] {
  const steps: { line: number; command: string; shown: string[] }[] = [];
  let block: "none" | "begun" | "typed" | "other" = "none";
  for (const [index, text] of markdown.split("\n").entries()) {
    const step = steps.at(-1);
    if (text.startsWith(FENCE)) block = block === "none" ? "begun" : "none";
    else if (block === "none" || block === "other") continue;
    else if (text.startsWith(PROMPT)) {
      block = "typed";
      steps.push({ line: index + 1, command: text.slice(PROMPT.length), shown: [] });
    } else if (block === "begun" || !step) block = "other";
    else if (text.startsWith(MORE) && step.shown.length === 0)
      step.command += `\n${text.slice(MORE.length)}`;
    else step.shown.push(text);
  }
  return steps;
}

/**
 * Compares the output on a page with the printed output, line by line. It ignores empty lines at the end.
 *
 * @returns the first line that differs; nothing if all are equal
 */
export function differenceOf(shown: readonly string[], printed: string): string | undefined {
  const wanted = trimmed(shown);
  const got = trimmed(printed.split("\n"));
  for (let at = 0; at < Math.max(wanted.length, got.length); at++) {
    const want = wanted[at];
    const line = got[at];
    if (want === undefined) return `printed, and not on the page: ${line}`;
    if (line === undefined) return `on the page, and not printed: ${want}`;
    if (!matches(want, line)) return `on the page: ${want}\n    printed: ${line}`;
  }
  return undefined;
}

function trimmed(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== "");
  return lines.slice(0, last + 1);
}

function matches(want: string, line: string): boolean {
  const parts = want.split(ANYTHING).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`).test(line);
}
