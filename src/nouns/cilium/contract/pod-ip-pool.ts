import * as v from "valibot";
import type { ManifestKind } from "../../../api/manifest.ts";
import { cidr, resourceName, unique, whole } from "../../../api/schema/field.ts";
import { checked, fields, list } from "../../../api/schema/schema.ts";
import { BITS, type Family } from "../../../net/address.ts";
import { formatCidr } from "../../../net/cidr.ts";

/** Networks of a family in a pool of Cilium. Each becomes a pool of prefixes. */
const CIDRS_PER_CILIUM_POOL_MAX = 64;

export const CILIUM_POD_IP_POOL: ManifestKind = {
  kind: "CiliumPodIPPool",
  apiVersions: ["cilium.io/v2alpha1"],
};

const networksOf = (family: Family) =>
  v.optional(
    fields({
      cidrs: v.pipe(
        list(
          v.pipe(
            cidr,
            v.check((network) => network.family === family, `must be a network of IPv${family}`),
            v.transform(formatCidr),
          ),
          { max: CIDRS_PER_CILIUM_POOL_MAX },
          {
            type: "must be an array of networks",
            max: `must have at most ${CIDRS_PER_CILIUM_POOL_MAX} networks`,
          },
        ),
        unique<string>("must have each network once"),
      ),
      maskSize: whole(1, BITS[family]),
    }),
  );

const manifest = v.looseObject({
  metadata: v.looseObject({ name: resourceName }, "must be an object with a name"),
  spec: fields({
    ipv4: networksOf(4),
    ipv6: networksOf(6),
    // They say which pods of a node use the pool, and the agent follows them.
    podSelector: v.optional(v.unknown()),
    namespaceSelector: v.optional(v.unknown()),
  }),
});

/** A network of a pool of Cilium, in its canonical text, and the length of the prefixes in it. */
export interface CiliumPoolNetwork {
  readonly cidr: string;
  readonly maskSize: number;
}

/**
 * Parses the networks of a pool as Cilium writes it. Its spec is taken strictly; the rest is the cluster's.
 *
 * @see https://docs.cilium.io/en/stable/network/concepts/ipam/multi-pool/
 */
export function parseCiliumPodIpPool(value: unknown): readonly CiliumPoolNetwork[] {
  const input = checked(manifest, value);
  const { ipv4, ipv6 } = input.spec;
  return [ipv4, ipv6].flatMap((networks) =>
    networks ? networks.cidrs.map((cidr) => ({ cidr, maskSize: networks.maskSize })) : [],
  );
}
