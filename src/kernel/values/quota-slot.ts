import { assertFamily, assertTexts, assertTimes, assertWhole } from "../../base/assertions.ts";
import type { Family } from "../../net/address.ts";
import type { AllocationPlace } from "./allocation-place.ts";

/**
 * A quota slot of a handle: one of the numbered places that a limit allows in a family. An assign under a limit takes a
 * quota slot for each address by a put-if-absent, before the address. So the limit is exact (number < limit).
 */
export interface QuotaSlot {
  readonly space: string;
  readonly handle: string;
  readonly family: Family;
  readonly number: number;
  /** The request that has it. Its allocation lists this revision for the same time. */
  readonly allocation: Pick<AllocationPlace, "id" | "keyed">;
  readonly revision: string;
  readonly atMs: number;
}

/**
 * A quota slot in the allocation of its request. The allocation names it before it is taken, and
 * its address once the request is answered.
 */
export interface QuotaSlotOfAllocation {
  readonly family: Family;
  readonly number: number;
  readonly revision: string;
  readonly address?: string;
}

/** Checks that a quota slot has the revision under which its allocation lists it. @throws {Error} */
export function assertQuotaSlot(quotaSlot: QuotaSlot): void {
  const { space, handle, allocation, revision, number, family, atMs } = quotaSlot;
  assertTexts({ space, handle, allocation: allocation.id });
  assertTimes(atMs);
  assertQuotaSlotOfAllocation({ family, number, revision });
}

/** Checks that an allocation lists a quota slot by its revision. @throws {Error} */
export function assertQuotaSlotOfAllocation({
  family,
  number,
  revision,
}: QuotaSlotOfAllocation): void {
  assertTexts({ revision });
  assertWhole({ number });
  assertFamily(family);
}
