import type { AssignRequest } from "../src/allocator/assign/assignment.ts";
import type { Family } from "../src/domain/address.ts";
import { type Cidr, formatCidr } from "../src/domain/cidr.ts";
import { prefixHandle } from "../src/domain/handle.ts";
import { handleHash } from "../src/domain/hash.ts";
import { hostId } from "../src/domain/host.ts";
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
