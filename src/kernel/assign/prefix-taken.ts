import { Rejection } from "../../base/outcome.ts";
import { formatCidr } from "../../net/cidr.ts";
import { ownerOfSlot } from "../allocations/allocation-of-slot.ts";
import type { Context } from "../core/context.ts";
import type { Allocation } from "../values/allocation.ts";
import type { Block } from "../values/block.ts";
import { machineName } from "../values/host.ts";

/** Returns the rejection of a named prefix that has an owner, with its node or its handle; nothing for one that is free or cools. */
export async function whyTaken(
  context: Context,
  { space, cidr, slots }: Block,
): Promise<Rejection | undefined> {
  const slot = slots.get(0);
  if (!slot || slot.kind === "cooling") return undefined;
  const text = formatCidr(cidr);
  const owner = await ownerOfSlot(context, space, slot);
  const node = owner && machineName(owner.host);
  return new Rejection("already_assigned", `Prefix ${text} is assigned${toWhom(owner, node)}.`, {
    cidr: text,
    ...(node !== undefined && { node }),
    ...(owner && { assignedTo: owner.handle }),
    // A lease that nobody renews, or confirms, ends by itself.
    ...(owner?.expiresAtMs !== undefined && { retryable: true }),
  });
}

const toWhom = (owner: Allocation | undefined, node: string | undefined): string =>
  node !== undefined ? ` to node ${node}` : owner ? ` to handle ${owner.handle}` : "";
