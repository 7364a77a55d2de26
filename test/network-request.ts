import { handleHash } from "../src/base/hash.ts";
import type { AssignRequest } from "../src/kernel/assign/assignment.ts";
import { prefixHandle } from "../src/kernel/values/handle.ts";
import { hostId } from "../src/kernel/values/host.ts";
import type { Family } from "../src/net/address.ts";
import { type Cidr, formatCidr } from "../src/net/cidr.ts";
import { SPACE } from "./simulation/requests.ts";

/** What a caller asks for in a request for a prefix. */
export interface NetworkAsked {
  readonly family?: Family;
  readonly pools?: readonly string[];
  readonly specific?: Cidr | undefined;
  readonly key?: string;
  readonly limit?: 1;
}

/** Returns the request of a caller for a prefix, as `POST /v1/prefixes` makes it. */
export const networkRequest = (
  named: string,
  { family = 4, pools = [], specific, key, limit }: NetworkAsked = {},
): AssignRequest => ({
  space: SPACE,
  host: hostId("virtual", named),
  handle: prefixHandle(named),
  wanted: [{ family, count: 1 }],
  prefixes: { stated: [], ...(specific && { specific }) },
  pools,
  attributes: {},
  ...(limit && { limitPerHandle: limit }),
  ...(key !== undefined && { keyId: handleHash(`${named}/${key}`) }),
  digest: `${named} ${specific ? formatCidr(specific) : family}`,
});
