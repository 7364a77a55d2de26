import { netboxAddressChange } from "../../contract/netbox/bodies.ts";
import { invalid, Problem } from "../../contract/schema/problem.ts";
import { formatAddress } from "../../domain/address.ts";
import { answerWith, assignedAt, type Found } from "./addresses.ts";
import { release } from "./assign.ts";
import { changesOf, currentOf, type HeldAddress, type Said, saidIn } from "./fields.ts";
import { type Operation, readBody } from "./request.ts";
import { spaceOfBody } from "./vrfs.ts";

const CHANGE = { one: netboxAddressChange, list: netboxAddressChange };

/**
 * Changes the fields of an assigned address. A change is kept as the active owner of the address, because the attributes of an
 * allocation belong to all its addresses. What stays the same is not written.
 */
export const changeAddress: Operation = async (asked, plat) => {
  const body = readBody(asked, CHANGE);
  if (body instanceof Problem) return body;
  const [item = {}] = body.items;
  const said = saidIn(item);
  if (said instanceof Problem) return said;
  const found = await assignedAt(asked, plat);
  if (found instanceof Problem) return found;
  const { held, around } = found;
  const { space } = around;
  if (item.vrf !== undefined) {
    const wanted = await spaceOfBody(item.vrf, plat);
    if (wanted instanceof Problem) return wanted;
    if (wanted !== space) return stays("vrf", space);
  }
  const problem = whyNot(item, said, found);
  if (problem) return problem;
  const changes = changesOf(currentOf(held), said.attributes);
  if (Object.keys(changes).length === 0) return answerWith(held, around, asked.id);
  const active = { ...held.owner?.active, ...changes };
  const { address, generation } = held;
  const done = await plat.call<Pick<HeldAddress, "owner">>("PATCH /v1/addresses/{ip}", {
    ...{ space, path: { ip: address }, body: { generation, owner: { active } } },
  });
  if (done instanceof Problem) return done;
  return answerWith({ ...held, owner: { ...held.owner, active } }, around, asked.id);
};

/** Releases an address: exactly the assignment that was read. */
export const deleteAddress: Operation = async (asked, plat) => {
  const found = await assignedAt(asked, plat);
  if (found instanceof Problem) return found;
  const problem = await release(plat, found.around.space, [found.held]);
  return problem ?? { status: 204, body: undefined };
};

function whyNot(
  {
    address,
  }: { readonly address?: { readonly address: Parameters<typeof formatAddress>[0] } | undefined },
  { handle, host }: Said,
  { held }: Found,
): Problem | undefined {
  if (address && formatAddress(address.address) !== held.address)
    return stays("address", held.address);
  if (handle !== undefined && handle !== held.handle)
    return stays("custom_fields.handle", held.handle ?? "none");
  if (host !== undefined && host !== held.host)
    return stays("custom_fields.host", held.host ?? "none");
  return undefined;
}

const stays = (field: string, current: string): Problem =>
  invalid({
    field,
    problem: `cannot change: it is ${current}. Release the address, and assign another`,
  });
