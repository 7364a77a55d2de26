import type { Goal } from "./goals.ts";
import type { Line } from "./lines.ts";

/** All results of one run of the benchmark. */
export interface Report {
  readonly date: string;
  /** The machine of the run, in general terms. */
  readonly machine: string;
  readonly method: string;
  readonly lines: readonly Line[];
  readonly goals: readonly Goal[];
}

const TITLES: Readonly<Record<string, string>> = {
  pairs: "Pairs of assign and release",
  http: "The same over HTTP, on one host",
  growth: "Larger and fuller pools",
  full: "The last address of a /16, and the rejection after it",
  crowd: "All at once",
};

/** Formats the report as Markdown; `plot` is the name of the file with the plot. */
export function markdownOf({ date, machine, method, lines, goals }: Report, plot: string): string {
  const sections = [...new Set(lines.map(({ section }) => section))];
  return [
    "# Speed, side by side",
    `${date}, ${machine}. Written by \`npm run bench\`.`,
    method,
    `![Pairs a second by callers; time by blocks in the pool](${plot})`,
    "## Goals",
    tableOf(
      goals.map(({ goal, measured, met }) => ({
        goal,
        measured: measured.toFixed(2),
        "": met ? "met" : "missed",
      })),
    ),
    ...sections.flatMap((section) => {
      const rows = lines.filter((line) => line.section === section);
      return [`## ${TITLES[section] ?? section}`, tableOf(rows.map(affinityOf))];
    }),
    "",
  ]
    .join("\n\n")
    .trimEnd()
    .concat("\n");
}

function affinityOf({
  section,
  name,
  callers,
  hosts,
  beside,
  ours,
  raw,
  speed,
  assignSpeed,
}: Line) {
  return {
    ...(hosts !== undefined && section !== "crowd"
      ? { callers: `${callers}`, hosts: `${hosts}` }
      : { "": name }),
    "a second": ours.perSecond.toFixed(0),
    "p50 ms": ours.p50Ms.toFixed(2),
    p99: ours.p99Ms.toFixed(2),
    ...(ours.callsPerAct !== undefined && {
      "processor ms": ours.processorMsPerAct.toFixed(2),
      calls: ours.callsPerAct.toFixed(2),
    }),
    "raw beside it": beside,
    "raw a second": raw.perSecond.toFixed(0),
    "raw p50 ms": raw.p50Ms.toFixed(2),
    "raw p99": raw.p99Ms.toFixed(2),
    "raw processor ms": raw.processorMsPerAct.toFixed(2),
    "ours/raw": speed.toFixed(2),
    ...(assignSpeed !== undefined && { "assign/raw": assignSpeed.toFixed(2) }),
  };
}

function tableOf(rows: readonly Readonly<Record<string, string>>[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const line = (columns: readonly string[]) => `| ${columns.join(" | ")} |`;
  return [
    line(heads),
    line(heads.map(() => "---")),
    ...rows.map((row) => line(heads.map((head) => row[head] ?? ""))),
  ].join("\n");
}
