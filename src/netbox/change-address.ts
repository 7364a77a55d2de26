import { invalid, type Problem } from "../api/schema/problem.ts";
import { formatAddress } from "../net/address.ts";
import { addressBody } from "./address-body.ts";
import { answerWith, assignedAt, type Found } from "./addresses.ts";
import { release } from "./assign.ts";
import type { NetboxAddress } from "./contract/address-text.ts";
import { netboxAddressChange } from "./contract/bodies.ts";
import { changesOf, currentOf, type Said, saidIn } from "./fields.ts";
import { type Operation, readBody } from "./request.ts";
import { spaceOfBody } from "./vrfs.ts";

const CHANGE = { one: netboxAddressChange, list: netboxAddressChange };

/**
 * Changes the fields of an assigned address. A change is kept as the active owner of the address, because the attributes of an
 * allocation belong to all its addresses. What stays the same is not written.
 */
export const changeAddress: Operation = async (asked, plat) => {
  const body = readBody(asked, CHANGE);
  const [item = {}] = body.items;
  const said = saidIn(item);
  const found = await assignedAt(asked, plat);
  const { held, around } = found;
  const { space } = around;
  if (item.vrf !== undefined) {
    const wanted = await spaceOfBody(item.vrf, plat);
    if (wanted !== space) throw stays("vrf", space);
  }
  rejectMove(item, said, found);
  const changes = changesOf(currentOf(held), said.attributes);
  if (Object.keys(changes).length === 0) return answerWith(held, around, asked.id);
  const active = { ...held.owner?.active, ...changes };
  const { address, generation } = held;
  await plat.call("PATCH /v1/addresses/{ip}", {
    ...{ space, path: { ip: address }, body: { generation, owner: { active } } },
  });
  return answerWith({ ...held, owner: { ...held.owner, active } }, around, asked.id);
};

/** Releases an address: exactly the assignment that was read. */
export const deleteAddress: Operation = async (asked, plat) => {
  const found = await assignedAt(asked, plat);
  await release(plat, found.around.space, [found.held]);
  return { status: 204, body: undefined };
};

/** Rejects a change of what an assigned address keeps. */
function rejectMove(
  { address: wanted }: { readonly address?: NetboxAddress | undefined },
  { handle, host }: Said,
  { held, around }: Found,
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
