import type * as v from "valibot";
import type { addressRead } from "../../contract/answers/answers.ts";
import type { Column } from "../output/column.ts";
import { type Client, path } from "./client.ts";

export type Address = v.InferOutput<typeof addressRead>;

/** Reads the state of one address. Errors: it is in no pool. */
export async function readAddress(client: Client, ip: string): Promise<Address> {
  const { body } = await client.call<Address>({ method: "GET", path: path`/v1/addresses/${ip}` });
  return body;
}

export const ADDRESS_COLUMNS: readonly Column<Omit<Address, "requestId">>[] = [
  { header: "ADDRESS", value: ({ address }) => address },
  { header: "STATE", value: ({ state }) => state },
  { header: "HANDLE", value: ({ handle }) => handle, long: "cut" },
  { header: "HOST", value: ({ host }) => host, long: "cut" },
  { header: "POOL", value: ({ pool }) => pool, long: "cut" },
  { header: "BLOCK", value: ({ block }) => block, wide: true },
  { header: "BORROWED", value: ({ borrowed }) => borrowed, wide: true },
  { header: "ASSIGNED", value: ({ assignedAt }) => assignedAt, wide: true },
  { header: "ASSIGNED BY", value: ({ assignedBy }) => assignedBy, wide: true },
  { header: "EXPIRES", value: ({ expiresAt }) => expiresAt, wide: true },
  { header: "AVAILABLE", value: ({ availableAt }) => availableAt, wide: true },
  { header: "GENERATION", value: ({ generation }) => generation, wide: true },
];
