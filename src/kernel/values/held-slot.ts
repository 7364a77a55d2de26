import { ordinalOf } from "../../net/cidr.ts";
import {
  type Application,
  applicationHash,
  type ListedAddress,
} from "../../nouns/application/application.ts";
import type { Block } from "./block.ts";
import type { HeldSlot } from "./block-changes.ts";

/** Returns the slot of an address if it is held for the application. */
export function heldSlot(
  application: Application,
  block: Block | undefined,
  { address }: Pick<ListedAddress, "address">,
): HeldSlot | undefined {
  if (!block) return undefined;
  const ordinal = ordinalOf(block.cidr, address);
  const slot = block.slots.get(ordinal);
  return slot?.kind === "held" && slot.applicationHash === applicationHash(application)
    ? { ordinal, seen: slot }
    : undefined;
}
