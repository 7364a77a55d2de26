import type * as v from "valibot";
import { invalid, Problem } from "../api/schema/problem.ts";
import { NETBOX_AT_ONCE_MAX } from "../base/limits.ts";
import { inParallel } from "../kernel/core/parallel.ts";
import { isOfNode } from "../kernel/values/handle.ts";
import { formatAddress } from "../net/address.ts";
import { addressBody } from "./address-body.ts";
import { answerWith, assignedAt, type FoundAddress } from "./addresses.ts";
import { allOrNone } from "./all-or-none.ts";
import { release } from "./assign.ts";
import type { NetboxAddress } from "./contract/address-text.ts";
import { netboxAddressChange, netboxAddressChanges, netboxDeletes } from "./contract/bodies.ts";
import {
  changesOf,
  currentOf,
  type HeldAddress,
  inWordsOfNetbox,
  type Said,
  saidIn,
  withOwnTenant,
} from "./fields.ts";
import { networksOnce } from "./networks.ts";
import type { Plat } from "./plat.ts";
import { type Operation, ofBody, parseNetboxBody, parseNetboxList } from "./request.ts";
import { spaceOfBody } from "./vrfs.ts";

const CHANGE = { one: netboxAddressChange, list: netboxAddressChange };

type Change = v.InferOutput<typeof netboxAddressChange>;

/** Changes the fields of an assigned address. */
export const changeAddress: Operation = async (asked, plat) => {
  const { items } = parseNetboxBody(asked, CHANGE);
  const found = await assignedAt(asked, plat);
  const change = await readyChange(found, items[0] ?? {}, plat);
  return answerWith(await change(plat), found.around, asked.id);
};

/** Changes several addresses: all, or none. */
export const changeAddresses: Operation = async (asked, plat) => {
  const items = parseNetboxList(asked, netboxAddressChanges);
  const networksIn = networksOnce(plat);
  const changes = await inParallel(items, NETBOX_AT_ONCE_MAX, async (item) => {
    const found = await assignedAt({ ...asked, id: item.id }, plat, networksIn).catch(ofBody);
    return { id: item.id, found, change: await readyChange(found, item, plat) };
  });
  const body = await allOrNone(plat, (there, written) =>
    inParallel(changes, NETBOX_AT_ONCE_MAX, async ({ id, found, change }) => {
      const changed = await change(there);
      written(id);
      return addressBody(changed, found.around);
    }),
  );
  return { status: 200, body };
};

/**
 * Checks a change of an address, and returns what makes it. A change is kept as the active owner of the address, because the attributes
 * of an allocation belong to all its addresses. What stays the same is not written.
 *
 * @throws {Problem} if the address cannot change so
 */
async function readyChange(
  found: FoundAddress,
  item: Change,
  plat: Plat,
): Promise<(plat: Plat) => Promise<HeldAddress>> {
  const { held, around } = found;
  const { space } = around;
  const said = saidIn(item, currentOf(held));
  if (item.vrf !== undefined) {
    const wanted = await spaceOfBody(item.vrf, plat);
    if (wanted !== space) throw stays("vrf", space);
  }
  rejectMove(item, said, found);
  const changes = changesOf(currentOf(held), withOwnTenant(plat, said.attributes));
  if (Object.keys(changes).length === 0) return async () => held;
  const { address, generation } = notOfNode(held);
  const active = { ...held.owner?.active, ...changes };
  return async (there) => {
    const body = { generation, owner: { active } };
    await there
      .call("PATCH /v1/addresses/{ip}", { space, path: { ip: address }, body })
      .catch(inWordsOfNetbox);
    return { ...held, owner: { ...held.owner, active } };
  };
}

/** Releases an address: exactly the assignment that was read. */
export const deleteAddress: Operation = async (asked, plat) => {
  const found = await assignedAt(asked, plat);
  await release(plat, found.around.space, [notOfNode(found.held)]);
  return { status: 204, body: undefined };
};

/** Releases several addresses: all, or none. */
export const deleteAddresses: Operation = async (asked, plat) => {
  const items = parseNetboxList(asked, netboxDeletes);
  const networksIn = networksOnce(plat);
  const found = await inParallel(items, NETBOX_AT_ONCE_MAX, async ({ id }) => {
    const { held, around } = await assignedAt({ ...asked, id }, plat, networksIn).catch(ofBody);
    return { id, space: around.space, ...notOfNode(held) };
  });
  const spaces = new Set(found.map(({ space }) => space));
  await allOrNone(plat, async (there, written) => {
    for (const space of spaces) {
      const inSpace = found.filter((each) => each.space === space);
      await release(there, space, inSpace, ({ id }) => written(id));
    }
  });
  return { status: 204, body: undefined };
};

/** Returns an address that requests can change and release. One of a node has no generation, and a route of its own. */
function notOfNode(held: HeldAddress): HeldAddress {
  if (!isOfNode(held.handle ?? "")) return held;
  throw new Problem(
    "invalid_request",
    `${held.address} is an address of a node, which /v1/nodes/{node}/cilium assigns and releases.`,
  );
}

/** Rejects a change of what an assigned address keeps. */
function rejectMove(
  { address: wanted }: { readonly address?: NetboxAddress | undefined },
  { handle, host }: Said,
  { held, around }: FoundAddress,
): void {
  if (wanted) {
    const text = String(addressBody(held, around)?.address);
    const { address, prefixLength = text.split("/")[1] } = wanted;
    if (`${formatAddress(address)}/${prefixLength}` !== text) throw stays("address", text);
  }
  if (handle !== undefined && handle !== held.handle)
    throw stays("custom_fields.handle", held.handle ?? "none");
  if (host !== undefined && host !== held.host)
    throw stays("custom_fields.host", held.host ?? "none");
}

const stays = (field: string, current: string): Problem =>
  invalid({
    field,
    problem: `cannot change: it is ${current}. Release the address, and assign another`,
  });
