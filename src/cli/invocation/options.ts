import { type Command, InvalidArgumentError, Option } from "commander";
import { type Cidr, parseCidr } from "../../net/cidr.ts";

/** Parsers of option values. Commander reports errors with the option's name and the value. */

export function count(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

export function flag(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("It must be true or false.");
}

export interface Duration {
  /** The text as written, for messages. */
  readonly text: string;
  readonly ms: number;
}

/** Parses a duration in Go's notation, as kubectl and helm do: `90s`, `10m`, `1h30m`. */
export function duration(text: string): Duration {
  const [match, hours = 0, minutes = 0, seconds = 0] =
    /^(?=.)(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/.exec(text) ?? [];
  if (match === undefined)
    throw new InvalidArgumentError("It must be a duration such as 90s, 10m or 1h30m.");
  return { text, ms: ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 };
}

/** Parses `a,b`; the option can be repeated. */
export function texts(text: string, before: readonly string[] = []): readonly string[] {
  const parts = text.split(",");
  if (parts.includes("")) throw new InvalidArgumentError("A part of it is empty.");
  return [...before, ...parts];
}

/** Parses a CIDR in any of its notations. */
export function cidrIn(text: string): Cidr {
  const read = parseCidr(text);
  if (read.ok) return read.value;
  throw new InvalidArgumentError(`It ${read.problem}.`);
}

/** Collects a repeated option whose value may contain a comma, such as a file. */
export const several = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

/** Parses an idempotency key, which a header carries. */
export function idempotencyKey(text: string): string {
  if (/^[\x20-\x7e]+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be printable ASCII characters.");
}

/** Parses `key=value`, repeated; the value may contain equals signs. */
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

/** Makes the option for the type of an affinity. A `virtual` owner is no machine, but for example a load balancer. */
export const affinityTypeOption = () =>
  new Option("--affinity-type <type>", "Type of the host; host if left out").choices([
    "host",
    "virtual",
  ]);

/** Adds the options for the addresses that a host reserves in each block that it claims, as Windows does. */
export const withHostReserved = (command: Command): Command => {
  for (const option of [
    new Option(
      "--host-reserved-start <n>",
      "Number of addresses at the start of each block that the host reserves",
    ).argParser(count),
    new Option(
      "--host-reserved-end <n>",
      "Number of addresses at the end of each block that the host reserves",
    ).argParser(count),
    new Option("--host-reserved-handle <name>", "Handle of the reserved addresses"),
    new Option("--host-reserved-note <text>", "Note on the reserved addresses"),
  ])
    command.addOption(option.helpGroup("Addresses that the host reserves (Windows):"));
  return command;
};

export interface HostReservedOptions {
  readonly hostReservedStart?: number;
  readonly hostReservedEnd?: number;
  readonly hostReservedHandle?: string;
  readonly hostReservedNote?: string;
}

/** Returns the field of the request; nothing without any of the options. */
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

/** An interface of a request to assign, in the form of the API. */
export interface InterfaceOption {
  readonly name: string;
  readonly ipv4?: number;
  readonly ipv6?: number;
  readonly pools?: readonly string[];
  readonly defaultPools?: readonly string[];
  readonly network?: string;
}

/** Parses `name=eth0,ipv4=1,pool=a,pool=b`, repeated for each interface. @throws {InvalidArgumentError} */
export function interfaces(
  text: string,
  before: readonly InterfaceOption[] = [],
): readonly InterfaceOption[] {
  const parts = new Map<string, readonly string[]>();
  for (const part of text.split(",")) {
    const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
    if (!KEYS.includes(key))
      throw new InvalidArgumentError(`It has ${key || part}, which is none of ${KEYS.join(", ")}.`);
    parts.set(key, [...(parts.get(key) ?? []), value]);
  }
  const one = (key: string): string | undefined => {
    const [value, ...more] = parts.get(key) ?? [];
    if (more.length > 0) throw new InvalidArgumentError(`It names ${key} twice.`);
    return value;
  };
  const name = one("name");
  if (!name) throw new InvalidArgumentError("It must have a name, such as name=eth0.");
  const [ipv4, ipv6] = [countOf("ipv4", one("ipv4")), countOf("ipv6", one("ipv6"))];
  const [pools, defaultPools] = [parts.get("pool"), parts.get("default-pool")];
  const network = one("network");
  return [
    ...before,
    {
      name,
      ...(ipv4 !== undefined && { ipv4 }),
      ...(ipv6 !== undefined && { ipv6 }),
      ...(pools && { pools }),
      ...(defaultPools && { defaultPools }),
      ...(network !== undefined && { network }),
    },
  ];
}

const KEYS: readonly string[] = ["name", "ipv4", "ipv6", "pool", "default-pool", "network"];

function countOf(key: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`${key} must be a whole number.`);
}
