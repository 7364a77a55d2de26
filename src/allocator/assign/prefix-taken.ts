import type { Block } from "../../domain/block.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { hostName } from "../../domain/host.ts";
import { Rejection } from "../../domain/outcome.ts";
import { ownerOfSlot } from "../allocations/allocation-of-slot.ts";
import type { Context } from "../core/context.ts";

/** Returns the rejection of a stated prefix that has an owner, with its node; nothing for one that is free or cools. */
export async function whyTaken(
  context: Context,
  { space, cidr, slots }: Block,
): Promise<Rejection | undefined> {
  const slot = slots.get(0);
  if (!slot || slot.kind === "cooling") return undefined;
  const text = formatCidr(cidr);
  const owner = await ownerOfSlot(context, space, slot);
  const node = owner && hostName(owner.host);
  return new Rejection(
    "already_assigned",
    `Prefix ${text} is assigned${node === undefined ? "" : ` to node ${node}`}.`,
    { cidr: text, ...(owner && { node, assignedTo: owner.handle }) },
  );
}
