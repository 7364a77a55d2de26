import { Rejection } from "../../base/outcome.ts";
import { type BlockCharge, blockChargeOf } from "../../nouns/quota/block-charge.ts";
import type { Quota, QuotaSubject } from "../../nouns/quota/quota.ts";
import type { Context } from "../core/context.ts";
import { charge, unspend } from "./budgets.ts";
import { giveBack } from "./give-back.ts";

/** The caller that claims a block, and the quotas of its space. */
export interface Claiming extends QuotaSubject {
  readonly quotas: readonly Quota[];
}

/**
 * The charge of one block that is to be claimed (I21). It is made before the block is written. A block that another caller wrote first
 * leaves it to the next try, and in the end it is given back.
 */
export class ClaimCharge {
  readonly #context: Context;
  readonly #space: string;
  readonly #claiming: Claiming;
  #charge: BlockCharge | Rejection | undefined;
  #isMade = false;

  constructor(context: Context, space: string, claiming: Claiming) {
    this.#context = context;
    this.#space = space;
    this.#claiming = claiming;
  }

  /** Charges one block, unless that is done. @returns the rejection of a quota that allows no more */
  async refusal(): Promise<Rejection | undefined> {
    if (this.#claiming.quotas.length > 0 && !this.#isMade) {
      const one = { of: "blocks", count: 1 } as const;
      const charges = await charge(this.#context, this.#claiming, one);
      this.#charge =
        charges instanceof Rejection
          ? charges
          : charges.length > 0
            ? blockChargeOf(this.#claiming, charges)
            : undefined;
      this.#isMade = true;
    }
    return this.#charge instanceof Rejection ? this.#charge : undefined;
  }

  /** Returns the charge for a block that is about to be written. The block has it from then on, also if the write gets no answer. */
  spend(): BlockCharge | undefined {
    const charge = this.#charge;
    if (charge instanceof Rejection) return undefined;
    this.#charge = undefined;
    this.#isMade = false;
    return charge;
  }

  /** Takes the charge of a block back that was surely not written. */
  restore(charge: BlockCharge | undefined): void {
    this.#charge = charge;
    this.#isMade = true;
  }

  /** Gives back what no block has. */
  async giveBackUnspent(): Promise<void> {
    const charge = this.spend();
    if (charge) await unspend(this.#context, this.#space, charge.charges, 1);
  }
}

/** Runs a claim with a charge, and gives back what it did not spend. */
export async function withClaimCharge<T>(
  charge: ClaimCharge,
  claim: (charge: ClaimCharge) => Promise<T>,
): Promise<T> {
  try {
    return await claim(charge);
  } finally {
    await charge.giveBackUnspent();
  }
}

/** Gives back the charge of a block that is gone, or that another caller has. */
export async function giveBackBlock(
  context: Context,
  { space, charge }: { readonly space: string; readonly charge?: BlockCharge },
): Promise<void> {
  if (charge) await giveBack(context, space, charge.charges, 1);
}
