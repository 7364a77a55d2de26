import { readFileSync, writeFileSync } from "node:fs";
import { NOTICED } from "../simulation/noticed.ts";
import { EXCUSED } from "./excused.ts";
import type { Item } from "./inventory.ts";

/** The test or the runs that noticed the absence of a part. */
export type Noticed =
  | { readonly by: "test"; readonly test: string }
  | { readonly by: "simulation"; readonly seed: number; readonly invariants: readonly string[] }
  | {
      readonly by: "nothing";
      /**
       * The number of examined runs that change without the part, and the number in which a check
       * failed.
       */
      readonly lives: number;
      readonly decisive: number;
      readonly of: number;
    };

const PAGE = new URL("../../docs/protocol.md", import.meta.url);
const [BEGIN, END] = ["<!-- clauses -->", "<!-- /clauses -->"];

/**
 * Puts the table into the page.
 *
 * @returns the parts that nothing noticed and that have no excuse, and those that the simulation
 * noticed but no test records
 */
export function writeTable(
  items: readonly Item[],
  noticed: Readonly<Record<string, Noticed>>,
  commit: string,
): readonly string[] {
  const table = [
    BEGIN,
    "",
    `Made at commit ${commit}.`,
    "",
    "| Left out | Of | Noticed by |",
    "|---|---|---|",
    ...items.map((item) => lineOf(item, noticed)),
    "",
    END,
  ];
  const { before, after } = parted();
  writeFileSync(PAGE, before + table.join("\n") + after);
  return unsettled(items, noticed);
}

/**
 * Puts the lines of some parts into the table, each in place of an earlier one. The lines of other parts stay.
 *
 * @returns as `writeTable`
 */
export function writeLines(
  items: readonly Item[],
  noticed: Readonly<Record<string, Noticed>>,
): readonly string[] {
  const { before, table, after } = parted();
  const lines = new Map([...table.matchAll(LINE)].map(([line, name = ""]) => [name, line]));
  for (const item of items) lines.set(item.name, lineOf(item, noticed));
  const inOrder = [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const [head = ""] = table.split(/^\| `/m, 1);
  writeFileSync(PAGE, `${before}${head}${inOrder.join("\n")}\n\n${END}${after}`);
  return unsettled(items, noticed);
}

/** A line of the table, with the name of its part. */
const LINE = /^\| `([^`]+)` \|.*$/gm;

const lineOf = (item: Item, noticed: Readonly<Record<string, Noticed>>): string =>
  `| \`${item.name}\` | ${whereIs(item)} | ${words(item.name, noticed[item.name])} |`;

const unsettled = (
  items: readonly Item[],
  noticed: Readonly<Record<string, Noticed>>,
): readonly string[] =>
  items.map(({ name }) => name).filter((name) => !isSettled(name, noticed[name]));

/** Returns the names that have a line in the page. */
export function namesInTable(): ReadonlySet<string> {
  return new Set([...parted().table.matchAll(LINE)].map(([, name]) => name ?? ""));
}

/** Returns what noticed the absence of a part when the table was made, in the words of the table. */
export function noticerInTable(name: string): string | undefined {
  const lines = parted().table.split("\n");
  const line = lines.find((one) => one.startsWith(`| \`${name}\` |`));
  const [, , , noticer] = line?.split(/(?<!\\)\|/) ?? [];
  return noticer?.trim().replaceAll("\\|", "|");
}

const STEPS_NAMED_MAX = 3;

function whereIs({ name, kind, steps }: Item): string {
  const writes = steps.length > STEPS_NAMED_MAX ? `${steps.length} writes` : steps.join(", ");
  if (kind === "clause") return writes;
  return steps.includes(name) ? "a fence" : `a fence in ${writes}`;
}

function parted() {
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END) + END.length];
  if (from < 0 || to < from) throw new Error(`docs/protocol.md has no ${BEGIN} and ${END}`);
  return { before: page.slice(0, from), table: page.slice(from, to), after: page.slice(to) };
}

function isSettled(name: string, noticed: Noticed | undefined): boolean {
  if (noticed?.by === "test") return true;
  return noticed?.by === "simulation"
    ? NOTICED.some(([known]) => known === name)
    : EXCUSED[name] !== undefined;
}

function words(name: string, noticed: Noticed | undefined): string {
  switch (noticed?.by) {
    case "test":
      return noticed.test.replaceAll("|", "\\|");
    case "simulation":
      return `the simulation notices when the protocol lacks ${name} (seed ${noticed.seed}: ${noticed.invariants.join(", ")})`;
    case "nothing": {
      const { lives, decisive, of } = noticed;
      const excuse = EXCUSED[name];
      const looked =
        lives === 0
          ? `It changes none of ${of} simulated runs.`
          : `It changes ${decisive} of ${of} simulated runs; ${lives} of these ran without it, and hold.`;
      return excuse ? `${excuse.heals ? "*heals*" : "*covered*"}: ${excuse.why} ${looked}` : looked;
    }
    default:
      return "not looked at";
  }
}
