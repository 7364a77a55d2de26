import type { PlatClient } from "../../client/index.ts";

/** Returns how many addresses of a pool are assigned. */
export async function assignedInPool(client: PlatClient, name: string): Promise<bigint> {
  let assigned = 0n;
  for await (const { pools } of client.pages.readUtilizations({ pool: [name] }))
    assigned += BigInt(pools.find(({ pool }) => pool === name)?.inUse ?? 0);
  return assigned;
}
