import type { PoolHistory } from "../api/types.ts";

const WIDTH = 100;
const HEIGHT = 24;
const SAMPLES_MIN = 3;

/** The use of a pool over the days of its samples, as one small line from nothing to the most. The text beside it has the growth. */
export function Spark({ samples }: { readonly samples: PoolHistory["samples"] }) {
  if (samples.length < SAMPLES_MIN) return null;
  const times = samples.map(({ at }) => Date.parse(at));
  const counts = samples.map(({ inUse }) => Number(inUse));
  const [first = 0] = times;
  const span = Math.max(1, (times.at(-1) ?? 0) - first);
  const most = Math.max(1, ...counts);
  const line = samples
    .map((_, i) => {
      const x = (WIDTH * ((times[i] ?? 0) - first)) / span;
      const y = HEIGHT - 1 - ((HEIGHT - 2) * (counts[i] ?? 0)) / most;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    })
    .join(" ");
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline points={line} />
    </svg>
  );
}
