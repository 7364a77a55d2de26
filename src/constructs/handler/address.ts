import type { Answer, PlatClient } from "../../client/index.ts";
import { Refused } from "./event.ts";
import {
  checkHeld,
  heldIn,
  isMade,
  isOf,
  resourceAttributesOf,
  resourceHandleOf,
  untilComplete,
} from "./held.ts";
import type { Data, ResourceKind } from "./kind.ts";

/** The properties whose change means another address. */
const REPLACING = ["Pool", "Family", "Address", "Host"];

/**
 * The host of addresses whose resource names none. It is one for all stacks, because each host claims a block of its
 * own.
 */
const HOST = "cloudformation";

/** One address of a pool. */
export const ADDRESS_RESOURCE: ResourceKind = {
  type: "Custom::PlatAddress",

  nameOf: (properties, owner) => resourceHandleOf(properties, owner, REPLACING),

  async ensure({ plat }, wanted, key) {
    checkHeld(await heldBy(plat, wanted.name), wanted, REPLACING);
    const { Pool = "", Family, Address, Host = HOST } = wanted.properties;
    const count = Family === "6" ? { ipv6: 1 } : { ipv4: 1 };
    const { body } = await plat.assign({
      idempotencyKey: key,
      body: {
        host: Host,
        handle: wanted.name,
        pools: [Pool],
        ...(Address === undefined ? count : { address: Address }),
        attributes: resourceAttributesOf(wanted, REPLACING),
        // Another event of this version, as a rollback is, gets the address that the handle has.
        limitPerHandle: 1,
      },
    });
    const [address] = "addresses" in body ? body.addresses : [];
    if (!address) throw new Refused(`Plat assigned no address to ${wanted.name}.`);
    // Another resource may have taken the handle since the first check: the limit then gives its address.
    if (!isMade(wanted.name, wanted.owner))
      checkHeld(await heldBy(plat, wanted.name), wanted, REPLACING);
    return dataOf(wanted.name, address);
  },

  async release({ plat }, handle, owner) {
    // Nobody else uses a handle that is made, so this also ends a request that is still under way.
    if (isMade(handle, owner))
      return untilComplete(async () => {
        const { body } = await plat.release({ body: { handle }, isRepeatable: true });
        return "complete" in body && body.complete;
      });
    const addresses = (await heldBy(plat, handle))
      .filter((one) => isOf(one, owner))
      .map(({ address, generation }) => ({ address, generation }));
    if (addresses.length === 0) return;
    return untilComplete(async () => {
      const { body } = await plat.release({ body: { addresses } });
      return "complete" in body && body.complete;
    });
  },
};

type Address = Extract<Answer<"assign">, { addresses: unknown }>["addresses"][number];

/** Returns the attributes of an address. One that its pool does not have is absent, and a template that uses it fails. */
const dataOf = (handle: string, { address, cidr, gateway }: Address): Data => ({
  Handle: handle,
  Address: address,
  ...(cidr !== undefined && { Cidr: cidr }),
  ...(gateway !== undefined && { Gateway: gateway }),
});

const heldBy = (plat: PlatClient, handle: string) =>
  heldIn(plat.pages.readHandle({ handle }), ({ addresses }) => addresses);
