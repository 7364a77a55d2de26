import type * as v from "valibot";
import type { addressRead, lifted, quarantined } from "../../contract/answers/answers.ts";
import type { Column } from "../output/column.ts";
import { type Client, path } from "./client.ts";

export type Address = v.InferOutput<typeof addressRead>;

/** Reads the state of one address. Errors: it is in no pool. */
export async function readAddress(client: Client, ip: string): Promise<Address> {
  const { body } = await client.call<Address>({ method: "GET", path: path`/v1/addresses/${ip}` });
  return body;
}

/** Reports that something else uses an address that the caller has. */
export async function reportConflict(
  client: Client,
  ip: string,
  proof: { readonly handle?: string | undefined; readonly generation?: string | undefined },
): Promise<v.InferOutput<typeof quarantined>> {
  const { body } = await client.call<v.InferOutput<typeof quarantined>>({
    method: "POST",
    path: path`/v1/addresses/${ip}/conflict`,
    body: proof,
    // A repeat answers the same.
    isRepeatable: true,
  });
  return body;
}

/** Ends the quarantine of an address. Errors: it is in none. */
export async function liftQuarantine(
  client: Client,
  ip: string,
): Promise<v.InferOutput<typeof lifted>> {
  const { body } = await client.call<v.InferOutput<typeof lifted>>({
    method: "DELETE",
    path: path`/v1/addresses/${ip}/conflict`,
  });
  return body;
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
