import { Rejection } from "../../../base/outcome.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { configurationOf, coolingRules, poolAt } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { cooledAtMs, isCooled } from "../../../kernel/values/block.ts";
import { blockOf } from "../../../kernel/values/block-group.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { type Address, formatAddress } from "../../../net/address.ts";
import { ordinalOf } from "../../../net/cidr.ts";

/** An address that is no longer in quarantine. */
export interface Lifted {
  readonly address: string;
  /** The end of the cooldown that began with the report; absent if it is over. */
  readonly availableAtMs?: number;
}

/**
 * Ends the quarantine of an address. The slot is replaced if it is exactly the one seen, so a later quarantine stays.
 * What is left of the cooldown since the report stays too.
 *
 * @returns when the address can be assigned again; or `not_found` for an address that is not in quarantine
 */
export function liftQuarantine(
  context: Context,
  space: string,
  address: Address,
): Promise<Lifted | Rejection> {
  const text = formatAddress(address);
  // The token of the quarantine to end. Its cooling slot is that of this call's own write (rule 6), or of another one.
  let lifted: string | undefined;
  return compareAndSwap<Lifted | Rejection>("the block of the address", async () => {
    const pool = await poolAt(context, space, address);
    if (!pool)
      return answer(new Rejection("not_found", `Address ${text} is in no pool of space ${space}.`));
    const rules = coolingRules(context, await configurationOf(context, space), pool);
    const cidr = blockOf(address, pool.blockSize);
    const ordinal = ordinalOf(cidr, address);
    const block = await context.store.readBlock(space, cidr);
    const seen = block?.slots.get(ordinal);
    if (block && seen?.kind === "quarantined" && (lifted ?? seen.token) === seen.token) {
      const { token, sinceMs } = seen;
      lifted = token;
      const change = { ordinal, seen, next: { kind: "cooling", token, sinceMs } } as const;
      await context.store.replaceReleased("lift", block, change, fresh(context));
      return RETRY;
    }
    if (seen?.kind !== "cooling" || seen.token !== lifted)
      return answer(new Rejection("not_found", `Address ${text} is not in quarantine.`));
    const availableAtMs = cooledAtMs(seen, rules.cooldownMs);
    return answer({ address: text, ...(!isCooled(seen, rules) && { availableAtMs }) });
  });
}
