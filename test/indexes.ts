import { Rejection } from "../src/base/outcome.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { INDEX_SETTLE_MS } from "../src/kernel/values/limits.ts";
import {
  type AddressesFound,
  type AddressSearch,
  listAddresses,
} from "../src/nouns/address/operations/list-addresses.ts";
import { putSettings } from "../src/nouns/pool/operations/administration.ts";
import { sweepAll } from "./scheduled-runs.ts";
import { requestOf, SPACE, type World } from "./world.ts";

/** Sets the indexed attributes of a space. */
export async function setIndexes(
  context: Context,
  indexedAttributes: readonly string[],
  space = SPACE,
): Promise<void> {
  const { settings, settingsRevision } = await context.store.readSpace(space);
  const next = { ...settings, indexedAttributes };
  const written = await putSettings(context, space, next, settingsRevision);
  if (written instanceof Rejection) throw new Error(written.detail);
}

/** Lets walks enter all allocations, after every request that may not know of an index. */
export async function buildIndexes({ clock, calm }: Pick<World, "clock" | "calm">): Promise<void> {
  clock.nowMs += INDEX_SETTLE_MS;
  // A walk that began before ends first.
  await sweepAll(calm);
  await sweepAll(calm);
}

/** Returns a request for one address of a tenant. */
export const ofTenant = (
  handle: string,
  tenant: string,
  { count = 1, key }: { readonly count?: number; readonly key?: string } = {},
): AssignRequest => ({ ...requestOf(handle, count, key), attributes: { tenant } });

/** Searches for the addresses of a tenant. */
export async function searchTenant(
  context: Context,
  tenant: string,
  asked: Partial<AddressSearch> = {},
): Promise<AddressesFound> {
  const wanted = { space: SPACE, limit: 100, attributes: { tenant }, ...asked };
  const found = await listAddresses(context, wanted);
  if (found instanceof Rejection) throw new Error(found.detail);
  return found;
}

/** Returns the addresses of a page, in the order of their texts. */
export const textsIn = ({ items }: AddressesFound): readonly string[] =>
  items.map(({ address }) => address).sort();
