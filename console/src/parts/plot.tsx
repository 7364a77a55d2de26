import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { PoolHistory } from "../api/types.ts";
import { styled } from "../map/colours.ts";
import { useScheme } from "../state/scheme.ts";

const HEIGHT_PX = 200;

/** The use of a pool over time, as lines. The table below it has the same numbers. */
export function UsagePlot({ samples }: { readonly samples: PoolHistory["samples"] }) {
  const frame = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  useEffect(() => {
    const { current } = frame;
    if (!current) return undefined;
    let plot: uPlot | undefined;
    let isGone = false;
    const observer = new ResizeObserver(() =>
      plot?.setSize({ width: current.clientWidth, height: HEIGHT_PX }),
    );
    void import("uplot").then(({ default: Plot }) => {
      if (isGone) return;
      const tzDate = (seconds: number) => Plot.tzDate(new Date(1000 * seconds), "Etc/UTC");
      const options = { ...optionsOf(current.clientWidth), tzDate };
      plot = new Plot(options, dataOf(samples), current);
      observer.observe(current);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      plot?.destroy();
    };
  }, [samples, scheme]);
  return <div ref={frame} class="plot" aria-hidden="true" />;
}

function optionsOf(width: number): uPlot.Options {
  const [ink, grid] = [styled("--soft"), styled("--line")];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: true, live: false },
    cursor: { y: false },
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } },
    axes: [
      { ...axis, values: timesOf },
      { ...axis, size: 70 },
    ],
    series: [
      {},
      { label: "in use", stroke: styled("--use-inUse"), fill: styled("--plot-fill"), width: 2 },
      { label: "not free", stroke: styled("--use-cooling"), width: 1.5 },
      { label: "can be assigned at all", stroke: ink, width: 1, dash: [4, 4] },
    ],
  };
}

const DAY_SECONDS = 86_400;

/** Returns the texts of some times in UTC: the date of each midnight, and else the time of the day. */
const timesOf: uPlot.Axis.DynamicValues = (_, seconds, __, ___, step) =>
  seconds.map((at) => {
    const text = new Date(1000 * at).toISOString();
    return step >= DAY_SECONDS || at % DAY_SECONDS === 0 ? text.slice(0, 10) : text.slice(11, 16);
  });

const dataOf = (samples: PoolHistory["samples"]): uPlot.AlignedData => [
  samples.map(({ at }) => Date.parse(at) / 1000),
  samples.map(({ inUse }) => Number(inUse)),
  samples.map(({ assignable, available }) => Number(assignable) - Number(available)),
  samples.map(({ assignable }) => Number(assignable)),
];
