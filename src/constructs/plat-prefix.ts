import type { Construct } from "constructs";
import type { IPlatPool } from "./plat-pool.ts";
import { PlatResource } from "./resource.ts";

/** Properties of `PlatPrefix`. A change of any of them means another prefix. */
export interface PlatPrefixProps {
  /** The pool of the prefix, with `assign: "prefixes"`. Its `blockSize` is the length of the prefix. */
  readonly pool: IPlatPool;
  /**
   * The name under which the prefix is found. By default it is made of stack, logical id and the other properties.
   * With a handle of its own, a prefix cannot be replaced without another handle.
   */
  readonly handle?: string;
  /** The address family. Default: 4. */
  readonly family?: 4 | 6;
  /** One specific prefix, in place of `family`. */
  readonly cidr?: string;
}

/** One prefix of a pool, such as that of a cluster or a VPC. It is released with its resource. */
export class PlatPrefix extends PlatResource {
  /** The prefix, such as `10.64.16.0/20`, as a token. */
  readonly cidr: string;
  /** The handle of the prefix, as a token. */
  readonly handle: string;

  constructor(scope: Construct, id: string, { pool, handle, family, cidr }: PlatPrefixProps) {
    super(scope, id, pool.api, "Prefix", {
      Pool: pool.poolName,
      Handle: handle,
      Family: family?.toString(),
      Cidr: cidr,
    });
    this.cidr = this.attribute("Cidr");
    this.handle = this.attribute("Handle");
  }
}
