import { Rejection } from "../base/outcome.ts";
import { assign } from "../kernel/assign/assign.ts";
import type { Context } from "../kernel/core/context.ts";
import { releaseAddress } from "../kernel/release/release-address.ts";
import type { HostId } from "../kernel/values/host.ts";
import { type Address, formatAddress } from "../net/address.ts";
import { readAddress } from "../nouns/address/operations/read-address.ts";

/** An address that its owner uses, as an inventory has it. */
export interface Living {
  readonly space: string;
  readonly address: Address;
  readonly handle: string;
  readonly host: HostId;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The result of an adoption. */
export interface Adopted {
  /** Addresses that the table did not know as assigned. */
  readonly adopted: number;
  /** Addresses that another handle had in the table: they were released after the backup, and assigned anew. */
  readonly reassigned: number;
  /** Sentences about addresses that could not be adopted. */
  readonly rejected: readonly string[];
}

/**
 * Assigns the addresses of an inventory to their handles. The inventory is later than the table, so an address that another handle has there is
 * released first. Addresses that the inventory lacks stay as they are.
 */
export async function adopt(context: Context, living: readonly Living[]): Promise<Adopted> {
  const done = { adopted: 0, reassigned: 0 };
  const rejected: string[] = [];
  // One after another, because the claims of one host take places in one list.
  for (const one of living) {
    const why = await adoptOne(context, one, done);
    if (why) rejected.push(`${formatAddress(one.address)} (${one.handle}): ${why.detail}`);
  }
  return { ...done, rejected };
}

async function adoptOne(
  context: Context,
  { space, address, handle, host, attributes }: Living,
  done: { adopted: number; reassigned: number },
): Promise<Rejection | undefined> {
  const found = await readAddress(context, space, address);
  if (found instanceof Rejection) return found;
  if (found.state === "assigned" && found.handle === handle) return undefined;
  if (found.state === "assigned" && found.handle !== undefined) {
    await releaseAddress(context, space, { address, handle: found.handle });
    done.reassigned++;
  }
  const assigned = await assign(context, {
    space,
    host,
    wanted: [{ family: address.family, count: 1 }],
    // Its owner uses it, so its cooldown does not bind.
    stated: [{ address, isUsed: true }],
    handle,
    attributes,
    pools: [],
    digest: handle,
  });
  if (assigned instanceof Rejection) return assigned;
  done.adopted++;
  return undefined;
}
