import type { Usage } from "../api/types.ts";
import { type Count, countOf } from "../map/tiles.ts";

const SHARES = [
  ["inUse", "in use"],
  ["hostReserved", "host-reserved"],
  ["cooling", "cooling"],
  ["reserved", "reserved"],
  ["available", "free"],
] as const satisfies readonly (readonly [keyof Count, string])[];

/** The use of a pool or a block as a bar. With `legend`, the counts stand below it. */
export function UsageBar(props: {
  readonly usage: Usage;
  /** The addresses in blocks that nobody has claimed; they are not in the counts. */
  readonly unclaimed?: number;
  readonly legend?: boolean;
}) {
  const { usage, unclaimed = 0, legend = false } = props;
  const count = countOf(usage);
  const all = count.capacity + unclaimed;
  const present = SHARES.filter(
    ([key]) => count[key] > 0 || key === "inUse" || key === "available",
  );
  const text = present.map(([key, word]) => `${number(usage[key])} ${word}`).join(", ");
  return (
    <>
      <div class="bar" role="img" aria-label={`${text}, of ${number(all)}`} title={text}>
        {present.map(([key]) => (
          <span
            key={key}
            class={`use-${key}`}
            style={{ width: `${(100 * count[key]) / Math.max(1, all)}%` }}
          />
        ))}
      </div>
      {legend && (
        <ul class="counts" aria-label="Counts">
          {present.map(([key, word]) => (
            <li key={key}>
              <span class={`swatch use-${key}`} aria-hidden="true" />
              <b>{number(usage[key])}</b> {word}
            </li>
          ))}
          {unclaimed > 0 && (
            <li>
              <span class="swatch unclaimed" aria-hidden="true" />
              <b>{number(unclaimed)}</b> in no block
            </li>
          )}
          <li>
            <b>{number(all)}</b> in all
          </li>
        </ul>
      )}
    </>
  );
}

/** Counts from this one on are written with a power of ten. */
const LARGE = 1e12;

/** Returns a count with separators between its thousands, or a large one with a power of ten. */
export function number(count: number | string): string {
  const value = Number(count);
  if (value < LARGE) return value.toLocaleString("en");
  const exponent = Math.floor(Math.log10(value));
  return `${(value / 10 ** exponent).toFixed(2)} × 10${[...String(exponent)].map((digit) => SUPERSCRIPT[Number(digit)]).join("")}`;
}

const SUPERSCRIPT = [..."⁰¹²³⁴⁵⁶⁷⁸⁹"];

/** Returns a share in percent, such as `12.5 %`. */
export const percent = (value: number): string => `${Math.round(value * 10) / 10} %`;
