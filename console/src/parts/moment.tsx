const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A time, as far from now as it is. The exact time is its title. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {at.slice(0, 19).replace("T", " ")} UTC <span class="soft">({distance(at, Date.now())})</span>
    </time>
  );
}

/** A time as the API writes it in its sentences. */
const WRITTEN = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

/** A sentence of the API, with its times as all others are shown. */
export function Sentence({ text }: { readonly text: string }) {
  // Every second part is what the pattern matches.
  const parts = text.split(WRITTEN);
  return <>{parts.map((part, i) => (i % 2 === 0 ? part : <Moment key={part} at={part} />))}</>;
}

/** Returns the time of a day, such as `12:00:00 UTC`. */
export const clock = (at: Date): string => `${at.toISOString().slice(11, 19)} UTC`;

/** Returns how far a time is from now, such as `2 hours ago`. */
function distance(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000);
  const [unit, size] = UNITS.find(([, span]) => Math.abs(seconds) >= span) ?? UNITS[3];
  return relative.format(Math.trunc(seconds / size), unit);
}
