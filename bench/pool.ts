import { putPool } from "../src/allocator/admin/administration.ts";
import type { Context } from "../src/allocator/core/context.ts";
import { type Cidr, parseCidr } from "../src/domain/cidr.ts";
import { Rejection } from "../src/domain/outcome.ts";
import type { Pool, PoolSpec } from "../src/domain/pool.ts";

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
