import { InvalidArgumentError } from "commander";

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
