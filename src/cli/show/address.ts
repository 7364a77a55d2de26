import type { Answer } from "../../client/index.ts";
import type { Session } from "../invocation/cli.ts";
import { printable } from "../shell/text.ts";

type Address = Answer<"readAddress">;

/** The parts of an address in a network, in words. */
export const NETWORK_WORDS = {
  gateway: "gateway",
  network: "network address",
  broadcast: "broadcast address",
} as const satisfies Record<NonNullable<Address["keptOut"]>, string>;

/** Prints whether an address is in use, and its owner. */
export async function showAddress({ client, print }: Session, ip: string): Promise<void> {
  const { body: address } = await client.readAddress({ ip });
  print({ text: () => textOf(address), document: address, names: [address.address] });
}

function textOf(address: Address): string {
  const { address: ip, state, availableAt, quarantinedUntil } = address;
  if (state === "free") return `${ip} is not assigned${keptOutBy(address)}\n`;
  if (state === "cooling") return `${ip} is not assigned; it cools until ${availableAt}\n`;
  if (state === "quarantined") return quarantineOf(ip, quarantinedUntil, address.handle);
  const { handle = "<none>", host, block, pool, generation, expiresAt } = address;
  const { assignedBy, attributes, workload, owner: { active, alternate } = {} } = address;
  return [
    `IP ${ip} ${WORDS[state]}`,
    `Handle ID: ${printable(handle)}`,
    ...lineOf("Uid", workload?.uid),
    ...lineOf("Host", host),
    `Block: ${block} of pool ${pool}${address.borrowed ? ", borrowed" : ""}`,
    ...lineOf("Generation", generation),
    ...lineOf("Assigned by", assignedBy),
    ...lineOf("Expires", expiresAt),
    ...ownedBy("Attributes", attributes),
    ...(active || state !== "assigned"
      ? ownedBy("Active Owner Attributes", active)
      : ["No Active Owner attributes defined"]),
    ...ownedBy("Alternate Owner Attributes", alternate),
    "",
  ].join("\n");
}

const keptOutBy = ({ keptOut }: Address): string =>
  keptOut === undefined ? "" : `; it is the ${NETWORK_WORDS[keptOut]} of a pool's network`;

const WORDS = {
  assigned: "is in use",
  kept: "is kept for the next uid of its instance",
  held: "is held for an application",
  hostReserved: "is kept by its host for itself",
} as const;

const quarantineOf = (ip: string, until: string | undefined, handle: string | undefined): string =>
  [
    `IP ${ip} is in quarantine until ${until}, because something else uses it`,
    ...lineOf("Reported by handle", handle),
    "",
  ].join("\n");

const lineOf = (title: string, value: string | undefined) =>
  value === undefined ? [] : [`${title}: ${printable(value)}`];

function ownedBy(title: string, attributes: Readonly<Record<string, string>> = {}) {
  const entries = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0
    ? []
    : [`${title}:`, ...entries.map(([key, value]) => `  ${printable(key)}: ${printable(value)}`)];
}
