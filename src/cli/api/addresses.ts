import type { Answer, PlatClient } from "../../client/index.ts";
import type { Column } from "../output/column.ts";

export type Address = Answer<"readAddress">;

/** Reads the state of one address. Errors: it is in no pool. */
export async function readAddress(client: PlatClient, ip: string): Promise<Address> {
  return (await client.readAddress({ ip })).body;
}

/** Reports that something else uses an address that the caller has. */
export async function reportConflict(
  client: PlatClient,
  ip: string,
  proof: { readonly handle?: string | undefined; readonly generation?: string | undefined },
): Promise<Answer<"reportConflict">> {
  return (await client.reportConflict({ ip, body: proof })).body;
}

/** Ends the quarantine of an address. Errors: it is in none. */
export async function liftQuarantine(
  client: PlatClient,
  ip: string,
): Promise<Answer<"liftQuarantine">> {
  return (await client.liftQuarantine({ ip })).body;
}

export const ADDRESS_COLUMNS: readonly Column<Omit<Address, "requestId">>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "STATE", value: ({ state }) => state },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "UID", value: ({ workload }) => workload?.uid, wide: true },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "BLOCK", value: ({ block }) => block, wide: true },
  { header: "BORROWED", value: ({ borrowed }) => borrowed, wide: true },
  { header: "ASSIGNED", value: ({ assignedAt }) => assignedAt, wide: true },
  { header: "ASSIGNED BY", value: ({ assignedBy }) => assignedBy, wide: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt, wide: true },
  { header: "AVAILABLE", value: ({ availableAt }) => availableAt, wide: true },
  {
    header: "QUARANTINED UNTIL",
    value: ({ quarantinedUntil }) => quarantinedUntil,
    wide: true,
  },
  { header: "GENERATION", value: ({ generation }) => generation, wide: true },
];
