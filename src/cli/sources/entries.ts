import { usageErrors } from "../shell/exit.ts";

/** An entry of a source, and its place there for messages. */
interface Placed {
  readonly where: string;
}

/**
 * Reads each entry.
 *
 * @param read returns the value of an entry, or its error
 * @throws CommandError with the entries that cannot be read
 */
export function readEntries<Entry extends Placed, Value extends object>(
  entries: readonly Entry[],
  read: (entry: Entry) => Value | string,
): Value[] {
  const problems: string[] = [];
  const values = entries.flatMap((entry) => {
    const value = read(entry);
    if (typeof value !== "string") return [value];
    problems.push(`${entry.where}: ${value}`);
    return [];
  });
  if (problems.length > 0) throw usageErrors(problems);
  return values;
}

/**
 * Returns the entries of one VRF that are in use, and notes on the number of the others.
 *
 * @param why the reason why an entry of the VRF is not in use: "their tag is Reserved"
 */
export function inUseOfVrf<Entry>(
  entries: readonly Entry[],
  isOfVrf: (entry: Entry) => boolean,
  isUsed: (entry: Entry) => boolean,
  why: string,
): { readonly used: readonly Entry[]; readonly notes: readonly string[] } {
  const within = entries.filter(isOfVrf);
  const used = within.filter(isUsed);
  const [others, unused] = [entries.length - within.length, within.length - used.length];
  return {
    used,
    notes: [
      ...(others > 0
        ? [
            `Left out, because they are in other VRFs: ${others}. Import each VRF with --vrf into a space of its own.`,
          ]
        : []),
      ...(unused > 0
        ? [
            `Left out, because ${why}: ${unused}. Keep them out of use with \`plat reservation create\`.`,
          ]
        : []),
    ],
  };
}
