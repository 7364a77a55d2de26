import { type FromNode, fromNode } from "../kubernetes.ts";
import type { Mode } from "./mode.ts";

/** Mode `kubernetes`: the prefixes that events showed of the Node. Plat assigns nothing in it. */
export const kubernetes: Mode<undefined, { readonly said: FromNode }> = {
  gives: "nothing",

  held: async () => undefined,

  hasAny: () => false,

  finish: async () => false,

  decide: ({ families = [4] }, { node }) => ({
    said: fromNode(node, families),
    entries: [],
    excessSinceMs: {},
  }),

  async carryOut(_context, request, { said }) {
    const { podCidrs, missing, internal, health } = said;
    const families = missing.map((family) => `IPv${family}`).join(" and ");
    const detail = `waiting for the ${families} prefix of Node ${request.node}: its spec.podCIDRs, or an annotation of Cilium.`;
    return {
      ipam: { podCIDRs: podCidrs },
      ...(internal.length > 0 && {
        addresses: internal.map((ip) => ({ type: "CiliumInternalIP" as const, ip })),
      }),
      ...((health[4] ?? health[6]) && {
        health: { ...(health[4] && { ipv4: health[4] }), ...(health[6] && { ipv6: health[6] }) },
      }),
      taken: [],
      errors: missing.length > 0 ? [detail] : [],
    };
  },

  release: async () => ({ released: [], complete: true }),
};
