import type { Construct } from "constructs";
import * as v from "valibot";
import { address, newHandle, newHost } from "../api/schema/field.ts";
import { fields } from "../api/schema/schema.ts";
import { FAMILIES } from "../net/address.ts";
import { FROM_POOL, type IPlatPool } from "./plat-pool.ts";
import { orLater } from "./props.ts";
import { PlatResource } from "./resource.ts";

/** Properties of `PlatAddress`. A change of any of them means another address. */
export interface PlatAddressProps {
  /** The pool of the address. */
  readonly pool: IPlatPool;
  /**
   * The name under which the address is found. By default it is made of stack, logical id and the other properties.
   * With a handle of its own, an address cannot be replaced without another handle.
   */
  readonly handle?: string;
  /** The address family. Default: 4. */
  readonly family?: 4 | 6;
  /** One specific address, in place of `family`. */
  readonly address?: string;
  /** The host whose block the address comes from. Default: `cloudformation`, for all stacks. */
  readonly host?: string;
}

const ADDRESS = fields({
  handle: v.optional(orLater(newHandle)),
  family: v.optional(orLater(v.picklist(FAMILIES, "must be 4 or 6"))),
  address: v.optional(orLater(address)),
  host: v.optional(orLater(newHost)),
});

/** One address of a pool. It is released with its resource. */
export class PlatAddress extends PlatResource {
  /** The address, such as `10.1.0.7`, as a token. */
  readonly address: string;
  /** The address with the prefix length of its network, such as `10.1.0.7/24`, as a token. */
  readonly cidr: string;
  /** The router of the default route, as a token. A stack that uses it fails if the pool has no gateway. */
  readonly gateway: string;
  /** The handle of the address, as a token. */
  readonly handle: string;

  /** @throws {Error} if a property is wrong; the message names it */
  constructor(scope: Construct, id: string, { pool, ...props }: PlatAddressProps) {
    const { handle, family, address, host } = props;
    super(scope, id, pool, {
      kind: "Address",
      source: FROM_POOL,
      props,
      schema: ADDRESS,
      properties: {
        Pool: pool?.poolName,
        Handle: handle,
        Family: family?.toString(),
        Address: address,
        Host: host,
      },
    });
    this.address = this.attribute("Address");
    this.cidr = this.attribute("Cidr");
    this.gateway = this.attribute("Gateway");
    this.handle = this.attribute("Handle");
  }
}
