import { Rejection } from "../../../base/outcome.ts";
import { ownerOfSlot } from "../../../kernel/allocations/allocation-of-slot.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { isBlockOf } from "../../../kernel/values/block-group.ts";
import { machineName } from "../../../kernel/values/host.ts";
import { type Cidr, formatCidr } from "../../../net/cidr.ts";
import { noneUnread } from "../../pool/configuration.ts";
import { assignsPrefixes } from "../../pool/pool.ts";

/**
 * Returns the rejection of a release of a prefix that found nothing of its owner; nothing if the prefix is free.
 *
 * @param field the field of the request that names the prefix
 */
export async function whyNotReleased(
  context: Context,
  space: string,
  cidr: Cidr,
  field: "?cidr" | "cidr",
): Promise<Rejection | undefined> {
  const value = formatCidr(cidr);
  const configuration = await configurationOf(context, space);
  if (!configuration.pools.some((pool) => assignsPrefixes(pool) && isBlockOf(pool, cidr))) {
    noneUnread(configuration);
    const problem = "is no prefix of a pool; send it as a list of prefixes has it";
    return new Rejection("invalid_request", `${field} ${problem}.`, {
      fields: [{ field, value, problem }],
    });
  }
  const block = await context.store.readBlock(space, cidr);
  const slot = block?.slots.get(0);
  if (slot?.kind !== "taken") return undefined;
  const owner = await ownerOfSlot(context, space, slot);
  const node = owner && machineName(owner.host);
  const whom = node === undefined ? owner?.handle : `node ${node} under another uid or name`;
  return new Rejection(
    "generation_conflict",
    `Prefix ${value} is assigned to ${whom ?? "another owner"}.`,
    {
      cidr: value,
      ...(node !== undefined && { node }),
      ...(owner && { assignedTo: owner.handle }),
    },
  );
}
