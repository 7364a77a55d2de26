import { assertTexts } from "../../base/assertions.ts";
import { namedPrincipal, TENANT_ATTRIBUTE } from "../../base/principal.ts";
import { assertCharge, type Charge } from "./budget.ts";
import type { QuotaSubject } from "./quota.ts";

/** The quotas that count a block, and the caller that claimed it. The repair run finds by the caller which quotas limit it now. */
export interface BlockCharge {
  /** The caller, as `namedPrincipal` returns it; absent if it was unknown. */
  readonly principal?: string;
  readonly tenant?: string;
  readonly charges: readonly Charge[];
}

/** Returns the charge of a block that a caller claims. */
export function blockChargeOf(
  { assignedBy, attributes = {} }: QuotaSubject,
  charges: readonly Charge[],
): BlockCharge {
  const tenant = attributes[TENANT_ATTRIBUTE];
  return {
    ...(assignedBy !== undefined && { principal: namedPrincipal(assignedBy) }),
    ...(tenant !== undefined && { tenant }),
    charges,
  };
}

/** Returns the caller of a charge as quotas see it. A block without a charge has an unknown one: only quotas of the space limit it. */
export const claimantOf = (charge: BlockCharge | undefined): QuotaSubject => ({
  assignedBy: charge?.principal,
  ...(charge?.tenant !== undefined && { attributes: { [TENANT_ATTRIBUTE]: charge.tenant } }),
});

/** Checks the charge of a block. @throws {Error} */
export function assertBlockCharge(charge: BlockCharge): void {
  const { principal = "none", tenant = "none", charges } = charge;
  assertTexts({ principal, tenant });
  if (charges.length === 0) throw new Error("it has a charge to no quota");
  for (const each of charges) assertCharge(each);
}
