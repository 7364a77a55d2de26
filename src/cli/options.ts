import { type Command, InvalidArgumentError, Option } from "commander";

/** What options say, as values. What they may not say commander tells, with the option's name and the value. */

export function count(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

/** `a,b`, or the option several times. */
export const texts = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(","),
];

/** `key=value`, several times; the value may have more signs of equality. */
export function keyValue(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError("It must be key=value.");
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`It names ${key} twice.`);
  return Object.fromEntries([...Object.entries(before), [key, value]]);
}

/** A `virtual` owner is no machine: a load balancer, say. */
export const affinityTypeOption = () =>
  new Option("--affinity-type <type>", "what the host is; host where nothing is said").choices([
    "host",
    "virtual",
  ]);

/** What a host keeps for itself in each block that it claims, as Windows does. */
export const withHostReserved = (command: Command): Command =>
  command
    .option("--host-reserved-start <n>", "so many at the start of a block stay the host's", count)
    .option("--host-reserved-end <n>", "so many at the end of a block stay the host's", count)
    .option("--host-reserved-handle <handle>", "what the host calls them")
    .option("--host-reserved-note <text>", "why it keeps them");

export interface HostReservedOptions {
  readonly hostReservedStart?: number;
  readonly hostReservedEnd?: number;
  readonly hostReservedHandle?: string;
  readonly hostReservedNote?: string;
}

/** The field of the request; none where none of the options is there. */
export function hostReservedOf(options: HostReservedOptions) {
  const hostReserved = {
    start: options.hostReservedStart,
    end: options.hostReservedEnd,
    handle: options.hostReservedHandle,
    note: options.hostReservedNote,
  };
  return Object.values(hostReserved).some((value) => value !== undefined)
    ? hostReserved
    : undefined;
}
