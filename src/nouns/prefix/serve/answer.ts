import { type AnswerOf, type BodyOf, type Teller, timed } from "../../../api/http/event.ts";
import { type Cidr, formatCidr } from "../../../net/cidr.ts";
import { nodePrefixOf } from "../contract/node-prefix-answer.ts";
import type { NodePrefixes } from "../operations/ensure-prefixes.ts";
import type { ListedPrefix } from "../operations/list-prefixes.ts";

const told: Teller<BodyOf<"POST /v1/nodes/{node}/pod-cidrs">> = timed;

export const podCidrsAnswer = ({
  prefixes,
  write,
  ...ensured
}: NodePrefixes): AnswerOf<"POST /v1/nodes/{node}/pod-cidrs"> => ({
  status: 200,
  body: told({
    ...ensured,
    podCIDRs: prefixes.map(nodePrefixOf),
    ...(write && {
      write: {
        ...(write.node && { node: write.node.map(formatCidr) }),
        ...(write.cloud && { cloud: write.cloud.map(formatCidr) }),
      },
    }),
  }),
});

export function podCidrListAnswer(
  prefixes: readonly ListedPrefix[],
  _requestId: string,
  { node }: { readonly node: string },
): AnswerOf<"GET /v1/nodes/{node}/pod-cidrs"> {
  const podCIDRs = prefixes.map((prefix) => ({ ...nodePrefixOf(prefix), uid: prefix.uid }));
  return { status: 200, body: { node, podCIDRs } };
}

export const podCidrsReleasedAnswer = (
  released: readonly Cidr[],
): AnswerOf<"DELETE /v1/nodes/{node}/pod-cidrs"> => ({
  status: 200,
  body: { released: released.map(formatCidr) },
});
