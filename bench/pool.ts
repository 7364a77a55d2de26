import { Rejection } from "../src/base/outcome.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { type Cidr, parseCidr } from "../src/net/cidr.ts";
import { putPool } from "../src/nouns/pool/operations/administration.ts";
import type { Pool, PoolSpec } from "../src/nouns/pool/pool.ts";

/** Creates a pool from a text. By default its blocks have 64 addresses, and it has no cooldown. */
export async function makePool(
  context: Context,
  { space, name, cidr: text }: { space: string; name: string; cidr: string },
  { blockSize, ...fields }: Partial<PoolSpec> = {},
): Promise<Pool> {
  const cidr = readCidr(text);
  const put = await putPool(
    context,
    space,
    name,
    {
      cidr,
      blockSize: blockSize ?? (cidr.family === 4 ? 26 : 122),
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload"],
      borrowing: "allowed",
      cooldownSeconds: 0,
      ...fields,
    },
    undefined,
  );
  if (put instanceof Rejection) throw new Error(put.detail);
  return put.value;
}

export function readCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr.ok) throw new Error(cidr.problem);
  return cidr.value;
}
