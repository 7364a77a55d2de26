import type { Usage } from "../api/types.ts";
import { type Count, countOf } from "../map/tiles.ts";

/** The counts of the API, which add up to the capacity, in the words that every page has for them. */
const SHARES = [
  ["inUse", "in use"],
  ["hostReserved", "host-reserved"],
  ["cooling", "cooling or quarantined"],
  ["reserved", "reserved"],
  ["available", "free"],
] as const satisfies readonly (readonly [keyof Count, string])[];

/** The counts that change while somebody looks. They keep their place where they are nothing. */
const OFTEN: ReadonlySet<keyof Count> = new Set(["inUse", "cooling", "available"]);

/** The use of a pool, of the blocks of a host, or of a block as a bar. With `legend`, the counts stand below it. */
export function UsageBar(props: { readonly usage: Usage; readonly legend?: boolean }) {
  const { usage, legend = false } = props;
  const count = countOf(usage);
  const present = SHARES.filter(([key]) => count[key] > 0 || OFTEN.has(key));
  const text = present.map(([key, word]) => `${number(usage[key])} ${word}`).join(", ");
  return (
    <>
      <div class="bar" role="img" aria-label={`${text}, of ${number(usage.capacity)}`} title={text}>
        {present.map(([key]) => (
          <span
            key={key}
            class={`use-${key}`}
            style={{ width: `${(100 * count[key]) / Math.max(1, count.capacity)}%` }}
          />
        ))}
      </div>
      {legend && (
        <ul class="counts" aria-label="Counts">
          {present.map(([key, word]) => (
            <Share key={key} name={key} count={number(usage[key])} word={word} />
          ))}
          <li>
            <b>{number(usage.capacity)}</b> in all
          </li>
        </ul>
      )}
    </>
  );
}

/** The room of a bar, until there are counts: what is below it stays where it is once they come. */
export function UsageBarToCome({ legend = false }: { readonly legend?: boolean }) {
  return (
    <>
      <div class="bar" aria-hidden="true" />
      {legend && (
        <ul class="counts" aria-hidden="true">
          {SHARES.filter(([key]) => OFTEN.has(key)).map(([key, word]) => (
            <Share key={key} name={key} count="…" word={word} />
          ))}
          <li>
            <b>…</b> in all
          </li>
        </ul>
      )}
    </>
  );
}

function Share(props: {
  readonly name: keyof Count;
  readonly count: string;
  readonly word: string;
}) {
  const { name, count, word } = props;
  return (
    <li>
      <span class={`swatch use-${name}`} aria-hidden="true" />
      <b>{count}</b> {word}
    </li>
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
