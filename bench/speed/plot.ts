import { fileURLToPath } from "node:url";
import { installPackages } from "../../pack/packages.ts";
import { hostsName } from "./goals.ts";
import type { Line } from "./lines.ts";

const SIDES = ["ours", "raw"] as const;
const SIZE = { width: 320, height: 200 } as const;

/** Imports a package of this folder. The compiler does not look for it, because it may not be installed yet. */
const load = (name: string) => import(name);

/**
 * Returns a plot of the report as SVG: pairs per second by callers, and times by the size of the pool. The first call
 * installs what draws it.
 *
 * @throws the output of npm, if it cannot be installed
 */
export async function plotOf(lines: readonly Line[]): Promise<string> {
  await installPackages(fileURLToPath(new URL(".", import.meta.url)));
  const [{ compile }, { parse, View }] = await Promise.all([load("vega-lite"), load("vega")]);
  return new View(parse(compile(chartOf(lines)).spec), { renderer: "none" }).toSVG();
}

/** Returns the plot as vega-lite describes it. */
export function chartOf(lines: readonly Line[]) {
  const panels = [pairsPanel(lines), growthPanel(lines)].filter((panel) => panel !== undefined);
  return {
    vconcat: panels,
    config: { font: "sans-serif", background: "white" },
    resolve: { scale: { color: "independent" } },
  };
}

function pairsPanel(lines: readonly Line[]) {
  const values = lines
    .filter(({ section }) => section === "pairs")
    .flatMap((line) =>
      SIDES.map((side) => ({
        callers: line.callers,
        hosts: hostsName(line.hosts ?? 0),
        side,
        perSecond: line[side].perSecond,
      })),
    );
  if (values.length === 0) return undefined;
  return {
    title: "Pairs of assign and release a second; raw: their four writes",
    data: { values },
    facet: { column: { field: "hosts", title: null } },
    spec: {
      ...SIZE,
      mark: { type: "line", point: true },
      encoding: {
        x: {
          field: "callers",
          type: "quantitative",
          title: "callers",
          scale: { type: "log", base: 2 },
        },
        y: { field: "perSecond", type: "quantitative", title: "pairs a second" },
        color: { field: "side", title: null },
      },
    },
  };
}

function growthPanel(lines: readonly Line[]) {
  const values = lines
    .filter(({ section }) => section === "growth")
    .flatMap((line) => {
      const [act, where = ""] = line.name.split(": ");
      return SIDES.map((side) => ({
        act,
        where,
        size: Number(where.replace(/^a \/16, /, "").replace(/[^\d].*$|,/g, "")),
        side,
        p50Ms: line[side].p50Ms,
      }));
    });
  if (values.length === 0) return undefined;
  return {
    title: "Median time, ms; raw: its writes alone",
    data: { values },
    facet: { column: { field: "act", title: null } },
    spec: {
      ...SIZE,
      mark: "bar",
      encoding: {
        x: { field: "where", type: "nominal", title: null, sort: null, axis: { labelAngle: -30 } },
        xOffset: { field: "side" },
        y: { field: "p50Ms", type: "quantitative", title: "ms" },
        color: { field: "side", title: null },
      },
    },
  };
}
