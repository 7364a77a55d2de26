/** Formats a time as ISO 8601 in UTC. It reads no clock. */
export function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Returns a time that may be absent as ISO 8601 in UTC. */
export const timeOrNone = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : formatTime(ms);

/** A value whose times are texts, each under its name without the unit. */
export type Timed<T> = {
  readonly [Name in keyof T as Name extends `${infer At}Ms` ? At : Name]: Name extends `${string}Ms`
    ? string
    : T[Name];
};
