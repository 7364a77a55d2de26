import type { Address } from "../../net/address.ts";

/** An address that a node says it has. */
export interface StatedAddress {
  readonly address: Address;
  /** True if the node uses it. Then nobody else may have it, so that its cooldown does not bind. */
  readonly isUsed: boolean;
}
