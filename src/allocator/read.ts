import { type Address, formatAddress } from "../domain/address.ts";
import { cooledAtMs, heldBy, isCooled } from "../domain/block.ts";
import { blockOf } from "../domain/cell.ts";
import { addressAt, formatCidr, ordinalOf } from "../domain/cidr.ts";
import { formatGeneration, generationOf } from "../domain/generation.ts";
import { hostName } from "../domain/host.ts";
import { Refusal } from "../domain/outcome.ts";
import { cooldownMsOf } from "../domain/pool.ts";
import type { AssignmentRecord, Part } from "../domain/record.ts";
import { configurationOf, poolAt } from "./configuration.ts";
import type { Context } from "./context.ts";
import { recordsOf } from "./release.ts";

/** An address as it stands. What is not assigned has no owner. */
export interface AddressState {
  readonly address: string;
  readonly family: 4 | 6;
  readonly block: string;
  readonly pool: string;
  readonly state: "assigned" | "cooling" | "free";
  readonly handle?: string;
  readonly host?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly generation?: string;
  readonly borrowed?: boolean;
  readonly assignedAtMs?: number;
  /** Until when it is its owner's, where it is leased. */
  readonly expiresAtMs?: number;
  /** When an address that cools may be assigned again. */
  readonly availableAtMs?: number;
}

/** Reads one address, strongly consistent. */
export async function readAddress(
  context: Context,
  space: string,
  address: Address,
): Promise<AddressState | Refusal> {
  const { settings } = await configurationOf(context, space);
  const pool = await poolAt(context, space, address);
  const text = formatAddress(address);
  if (!pool) return new Refusal("not_found", `Address ${text} lies in no pool of this space.`);
  const cidr = blockOf(address, pool.blockSize);
  const block = await context.store.readBlock(space, cidr);
  const slot = block?.slots.get(ordinalOf(cidr, address));
  const base = {
    address: text,
    family: address.family,
    block: formatCidr(cidr),
    pool: pool.name,
  };
  if (!block || !slot) return { ...base, state: "free" };
  if (slot.kind === "foreign") return { ...base, state: "assigned" };
  if (slot.kind === "cooling") {
    const cooldownMs = cooldownMsOf(pool, settings);
    return isCooled(slot.sinceMs, { nowMs: context.now(), cooldownMs })
      ? { ...base, state: "free" }
      : { ...base, state: "cooling", availableAtMs: cooledAtMs(slot.sinceMs, cooldownMs) };
  }
  const records = await context.store.listRecords(space, slot.handleHash);
  for (const record of records) {
    const part = record.parts.find(({ token }) => token === slot.token);
    if (part)
      return {
        ...base,
        state: "assigned",
        ...ownerOf(record, part, address),
        borrowed: block.host !== record.host,
      };
  }
  return { ...base, state: "assigned" };
}

/** Every address that a handle has, strongly consistent. */
export async function readHandle(
  context: Context,
  space: string,
  handle: string,
): Promise<readonly AddressState[] | Refusal> {
  const found: AddressState[] = [];
  for (const record of await recordsOf(context, space, handle)) {
    for (const part of record.parts) {
      const block = await context.store.readBlock(space, part.block);
      for (const ordinal of heldBy(block, part.token).sort((a, b) => a - b)) {
        const address = addressAt(part.block, ordinal);
        found.push({
          address: formatAddress(address),
          family: part.block.family,
          block: formatCidr(part.block),
          pool: block?.pool ?? "",
          state: "assigned",
          ...ownerOf(record, part, address),
          borrowed: block?.host !== record.host,
        });
      }
    }
  }
  return found.length > 0
    ? found
    : new Refusal("not_found", `Handle ${handle} has no addresses in this space.`);
}

function ownerOf(record: AssignmentRecord, part: Part, address: Address) {
  const { handle, host, attributes, atMs, expiresAtMs } = record;
  return {
    handle,
    host: hostName(host),
    attributes,
    generation: formatGeneration(generationOf(record, part, address)),
    assignedAtMs: atMs,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
}
