import { type Address, formatAddress } from "../../domain/address.ts";
import { type Block, cooledAtMs, isCooled } from "../../domain/block.ts";
import { blockOf } from "../../domain/block-group.ts";
import { formatCidr, ordinalOf } from "../../domain/cidr.ts";
import { type HostId, hostName } from "../../domain/host.ts";
import { isHostReserved } from "../../domain/host-reserved.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX } from "../../domain/limits.ts";
import { Contended, Refusal, Unreadable, unlessUnreadable } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import type { Slot } from "../../domain/slot.ts";
import { formatTime } from "../../domain/time.ts";
import { recordsOfSlots } from "../allocations/allocation-of-slot.ts";
import { claimBlock, helpClaim } from "../blocks/claim-block.ts";
import { coolingRules } from "../blocks/slot-rules.ts";
import type { Context } from "../core/context.ts";
import type { Picker, Wish } from "./selection.ts";

/**
 * Reservations and the cap on blocks bind automatic assignment only; a cooldown binds this as well (Calico 1.4, and our
 * decision on cooldowns), and so does what a host keeps for itself.
 */
export function pickAddress(context: Context, address: Address): Picker {
  return async ([wish]) => {
    const pool = wish?.pools[0];
    if (!wish || !pool) return [];
    const block = await blockFor(context, wish, pool, address);
    if (block instanceof Refusal) return block;
    const text = formatAddress(address);
    const ordinal = ordinalOf(block.cidr, address);
    const slot = block.slots.get(ordinal);
    const pick = { block, ordinals: [ordinal], again: () => undefined };
    if (isHostReserved(block, ordinal)) return kept(block, address);
    if (!slot) return [pick];
    if (slot.kind !== "cooling") return assigned(context, wish.space, text, slot);
    const rules = coolingRules(context, wish.configuration, pool);
    if (isCooled(slot.sinceMs, rules)) return [pick];
    const availableAt = formatTime(cooledAtMs(slot.sinceMs, rules.cooldownMs));
    return new Refusal(
      "address_cooling",
      `Address ${text} was released a moment ago and may be assigned again at ${availableAt}.`,
      { address: text, availableAt },
    );
  };
}

/** Names the handle that has the address. Only a request that is refused pays for this read. */
async function assigned(
  context: Context,
  space: string,
  address: string,
  slot: Slot,
): Promise<Refusal> {
  const owners = await unlessUnreadable(recordsOfSlots(context, space, [slot]));
  // No record: it is gone with the slot by now, or cannot be read.
  const [owner] = owners instanceof Unreadable ? [] : owners.values();
  const handle = owner?.record.handle;
  const to = handle === undefined ? "" : ` to handle ${handle}`;
  return new Refusal("already_assigned", `Address ${address} is assigned${to}.`, {
    address,
    ...(handle !== undefined && { assignedTo: handle }),
  });
}

/** The block of one given address: as it stands, or claimed now for it. */
async function blockFor(
  context: Context,
  { space, host, configuration, hostReserved }: Wish,
  pool: Pool,
  address: Address,
): Promise<Block | Refusal> {
  const { store, random } = context;
  const cidr = blockOf(address, pool.blockSize);
  for (let attempt = 0; attempt < CLAIM_TRIES_MAX; attempt++) {
    const there = await store.readBlock(space, cidr);
    if (there && there.poolId !== pool.id)
      throw new Contended(
        `block ${formatCidr(cidr)} is left from an earlier pool, and about to go`,
      );
    if (there?.host === host) return there;
    if (there) {
      const strict = configuration.settings.strictAffinity || pool.borrowing === "forbidden";
      return strict ? notToBeBorrowed(there, host) : there;
    }
    // Claimed now, the block would be of no use to this request.
    const anew = { cidr, host, ...(hostReserved && { hostReserved }) };
    if (isHostReserved(anew, ordinalOf(cidr, address))) return kept(anew, address);
    const rows = await store.listRows(space, host);
    const place = rows.find((row) => formatCidr(row.block) === formatCidr(cidr));
    const claim = place
      ? await helpClaim(context, [pool], place)
      : await claimBlock(context, pool, host, rows, cidr, hostReserved);
    if (claim.kind !== "ours") await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
  }
  throw new Contended(`block ${formatCidr(cidr)} could not be claimed in ${CLAIM_TRIES_MAX} tries`);
}

function kept(
  { cidr, host, hostReserved }: Pick<Block, "cidr" | "host" | "hostReserved">,
  address: Address,
): Refusal {
  const text = formatAddress(address);
  const whose = host === undefined ? "the host before" : `host ${hostName(host)}`;
  return new Refusal(
    "already_assigned",
    `Address ${text} is kept by ${whose} for itself in block ${formatCidr(cidr)}.`,
    { address: text, block: formatCidr(cidr), hostReserved },
  );
}

function notToBeBorrowed({ cidr, host: owner }: Block, host: HostId): Refusal {
  const whose = owner === undefined ? "nobody" : hostName(owner);
  return new Refusal(
    "strict_affinity",
    `The address lies in block ${formatCidr(cidr)}, which is affine to ${whose}, not to ${hostName(host)}, and borrowing is off.`,
    { block: formatCidr(cidr), ...(owner !== undefined && { owner: hostName(owner) }) },
  );
}
