import type { NodePrefixes } from "../../allocator/prefixes/ensure-prefixes.ts";
import type { ListedPrefix } from "../../allocator/prefixes/list-prefixes.ts";
import type { NodePrefix } from "../../allocator/prefixes/node-prefix.ts";
import { type Cidr, formatCidr } from "../../domain/cidr.ts";
import { formatTime } from "../../domain/time.ts";
import type { AnswerOf } from "../http/event.ts";

export function podCidrsAnswer({
  node,
  uid,
  prefixes,
  write,
  event,
}: NodePrefixes): AnswerOf<"POST /v1/nodes/{node}/pod-cidrs"> {
  return {
    status: 200,
    body: {
      node,
      uid,
      podCIDRs: prefixes.map(prefixBody),
      ...(write && {
        write: {
          ...(write.node && { node: write.node.map(formatCidr) }),
          ...(write.cloud && { cloud: write.cloud.map(formatCidr) }),
        },
      }),
      ...(event && { event }),
    },
  };
}

export function podCidrListAnswer(
  prefixes: readonly ListedPrefix[],
  _requestId: string,
  { node }: { readonly node: string },
): AnswerOf<"GET /v1/nodes/{node}/pod-cidrs"> {
  const podCIDRs = prefixes.map((prefix) => ({ ...prefixBody(prefix), uid: prefix.uid }));
  return { status: 200, body: { node, podCIDRs } };
}

export const podCidrsReleasedAnswer = (
  released: readonly Cidr[],
): AnswerOf<"DELETE /v1/nodes/{node}/pod-cidrs"> => ({
  status: 200,
  body: { released: released.map(formatCidr) },
});

export const prefixBody = ({ cidr, pool, expiresAtMs }: NodePrefix) => ({
  cidr: formatCidr(cidr),
  family: cidr.family,
  pool,
  state: expiresAtMs === undefined ? ("confirmed" as const) : ("pending" as const),
  ...(expiresAtMs !== undefined && { expiresAt: formatTime(expiresAtMs) }),
});
