import type { Page } from "../../../base/listed.ts";
import { Rejection } from "../../../base/outcome.ts";
import { allocationOfSlot } from "../../../kernel/allocations/allocation-of-slot.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { isBlockOf } from "../../../kernel/values/block-group.ts";
import { handleOfPrefixes, prefixHandle } from "../../../kernel/values/handle.ts";
import type { Family } from "../../../net/address.ts";
import { addressAt, type Cidr, formatCidr } from "../../../net/cidr.ts";
import { type AddressState, ownerOf } from "../../address/operations/read-address.ts";
import { type HandlePosition, readHandle } from "../../address/operations/read-handle.ts";
import { noneUnread } from "../../pool/configuration.ts";
import { assignsPrefixes } from "../../pool/pool.ts";

/** A prefix that a caller has by a handle. */
export interface HandledPrefix
  extends Pick<AddressState, "family" | "pool" | "attributes" | "assignedBy" | "assignedAtMs"> {
  readonly cidr: string;
  readonly handle: string;
}

/** The prefixes of a handle, from a position on, or the one that is a network. At least one of both is there. */
export interface PrefixesNamed {
  readonly space: string;
  readonly handle?: string | undefined;
  readonly cidr?: Cidr | undefined;
  readonly limit: number;
  readonly position?: HandlePosition | undefined;
}

/** Returns a page of the prefixes that callers have, strongly consistent. It is no snapshot, as that of `readHandle` is none. */
export async function readPrefixes(
  context: Context,
  { cidr, handle = "", ...wanted }: PrefixesNamed,
): Promise<Page<HandledPrefix, HandlePosition> | Rejection> {
  const { space } = wanted;
  if (cidr) return readOne(context, { space, cidr, handle });
  const page = await readHandle(context, { ...wanted, handle: prefixHandle(handle) });
  if (page instanceof Rejection)
    return new Rejection("not_found", `Handle ${handle} has no prefixes in space ${space}.`);
  return { ...page, items: page.items.map((state) => prefixOf(state.block, handle, state)) };
}

async function readOne(
  context: Context,
  { space, cidr, handle }: Pick<PrefixesNamed, "space"> & { cidr: Cidr; handle: string },
): Promise<Page<HandledPrefix, HandlePosition> | Rejection> {
  const text = formatCidr(cidr);
  const none = (why: string) => new Rejection("not_found", `${text} ${why}.`);
  const configuration = await configurationOf(context, space);
  const pool = configuration.pools.find((each) => assignsPrefixes(each) && isBlockOf(each, cidr));
  if (!pool) {
    noneUnread(configuration);
    return none(`is no prefix of a pool of space ${space}`);
  }
  const block = await context.store.readBlock(space, cidr);
  const slot = block?.slots.get(0);
  const owner = slot?.kind === "taken" ? await allocationOfSlot(context, space, slot) : undefined;
  if (!owner) return none("is assigned to nobody");
  const has = handleOfPrefixes(owner.allocation.handle);
  if (has === undefined)
    return none(`is assigned to ${owner.allocation.handle}, which is no handle of a caller`);
  if (handle !== "" && handle !== has) return none(`is assigned to another handle, ${has}`);
  const { family } = cidr;
  const state = { family, pool: pool.name, ...ownerOf(owner, addressAt(cidr, 0), block) };
  return { items: [prefixOf(text, has, state)] };
}

function prefixOf(
  cidr: string,
  handle: string,
  { family, pool, attributes, owner, assignedBy, assignedAtMs }: OwnedPrefix,
): HandledPrefix {
  return {
    cidr,
    family,
    pool,
    handle,
    // What changed since the assignment is kept as the active owner.
    ...(attributes && { attributes: { ...attributes, ...owner?.active } }),
    ...(assignedBy !== undefined && { assignedBy }),
    ...(assignedAtMs !== undefined && { assignedAtMs }),
  };
}

interface OwnedPrefix
  extends Pick<AddressState, "pool" | "attributes" | "owner" | "assignedBy" | "assignedAtMs"> {
  readonly family: Family;
}
