import type { Construct } from "constructs";
import * as v from "valibot";
import { cidr } from "../api/schema/field.ts";
import { fields } from "../api/schema/schema.ts";
import { FAMILIES } from "../net/address.ts";
import { prefixBody } from "../nouns/prefix/contract/request.ts";
import { FROM_POOL, type IPlatPool } from "./plat-pool.ts";
import { orLater } from "./props.ts";
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

const PREFIX = fields({
  handle: v.optional(orLater(prefixBody.entries.handle)),
  family: v.optional(orLater(v.picklist(FAMILIES, "must be 4 or 6"))),
  cidr: v.optional(orLater(cidr)),
});

/** One prefix of a pool, such as that of a cluster or a VPC. It is released with its resource. */
export class PlatPrefix extends PlatResource {
  /** The prefix, such as `10.64.16.0/20`, as a token. */
  readonly cidr: string;
  /** The handle of the prefix, as a token. */
  readonly handle: string;

  /** @throws {Error} if a property is wrong; the message names it */
  constructor(scope: Construct, id: string, { pool, ...props }: PlatPrefixProps) {
    const { handle, family, cidr } = props;
    super(scope, id, pool, {
      kind: "Prefix",
      source: FROM_POOL,
      props,
      schema: PREFIX,
      properties: {
        Pool: pool?.poolName,
        Handle: handle,
        Family: family?.toString(),
        Cidr: cidr,
      },
    });
    this.cidr = this.attribute("Cidr");
    this.handle = this.attribute("Handle");
  }
}
