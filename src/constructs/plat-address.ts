import type { Construct } from "constructs";
import type { IPlatPool } from "./plat-pool.ts";
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

  constructor(scope: Construct, id: string, props: PlatAddressProps) {
    const { pool, handle, family, address, host } = props;
    super(scope, id, pool.api, "Address", {
      Pool: pool.poolName,
      Handle: handle,
      Family: family?.toString(),
      Address: address,
      Host: host,
    });
    this.address = this.attribute("Address");
    this.cidr = this.attribute("Cidr");
    this.gateway = this.attribute("Gateway");
    this.handle = this.attribute("Handle");
  }
}
