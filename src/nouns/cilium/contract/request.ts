import * as v from "valibot";
import type { ManifestKind } from "../../../api/manifest.ts";
import { newNode, resourceName, text, whole, wholeText } from "../../../api/schema/field.ts";
import { POD_CIDRS_MAX } from "../../../base/limits.ts";
import type { Family } from "../../../net/address.ts";
import { parseNetwork } from "../../../net/cidr.ts";
import { array, loose, resourceVersion, shortText } from "../../node/contract/events-request.ts";
import { nodeUid } from "../../prefix/contract/node-prefix-request.ts";
import { CILIUM_MODES } from "../object.ts";

/** Addresses in `spec.ipam.pool` of a CiliumNode, and as many in `status.ipam.used`. */
const CILIUM_ADDRESSES_MAX = 1_024;
/** Pools of Cilium in a CiliumNode, and prefixes of one of them. */
const CILIUM_POOLS_MAX = 64;
const CILIUM_PREFIXES_MAX = 1_024;
/** The largest number of addresses that a CiliumNode can ask for. What it gets has a lower limit. */
const CILIUM_DEMAND_MAX = 1_000_000;
/** The longest time after which an excess or a withdrawn address is released, and the usual one of the latter. */
export const CILIUM_DELAY_SECONDS_MAX = 3_600;
const WITHDRAW_AFTER_SECONDS_DEFAULT = 60;
/** Owners of a Kubernetes object. */
const OWNER_REFERENCES_MAX = 64;

const network = v.pipe(
  shortText,
  v.check((cidr) => parseNetwork(cidr).ok, "must be a network such as 10.0.7.0/24"),
);

const podCidrs = v.pipe(
  array(network, POD_CIDRS_MAX),
  v.check(
    (cidrs: string[]) => new Set(cidrs.map(familyOf)).size === cidrs.length,
    "must have at most one network of each family",
  ),
);

const familyOf = (cidr: string): Family | undefined => {
  const read = parseNetwork(cidr);
  return read.ok ? read.value.family : undefined;
};

/** A map by address. Keys that are no addresses are ignored. */
const byAddress = <Value extends v.GenericSchema>(value: Value) =>
  v.pipe(
    v.record(text, value, "must be an object with addresses as keys"),
    v.check(
      (map) => Object.keys(map).length <= CILIUM_ADDRESSES_MAX,
      `must have at most ${CILIUM_ADDRESSES_MAX} addresses`,
    ),
  );

const addresses = byAddress(
  loose({ owner: v.optional(shortText), resource: v.optional(shortText) }),
);

const count = whole(0, CILIUM_DEMAND_MAX);

const poolName = resourceName;

const ipam = loose({
  podCIDRs: v.optional(podCidrs),
  pool: v.optional(addresses),
  "pre-allocate": v.optional(count),
  "min-allocate": v.optional(count),
  "max-allocate": v.optional(count),
  "max-above-watermark": v.optional(count),
  pools: v.optional(
    loose({
      requested: v.optional(
        array(
          loose({
            pool: poolName,
            needed: v.optional(
              loose({ "ipv4-addrs": v.optional(count), "ipv6-addrs": v.optional(count) }),
            ),
          }),
          CILIUM_POOLS_MAX,
        ),
      ),
      allocated: v.optional(
        v.pipe(
          array(
            loose({ pool: poolName, cidrs: v.optional(array(network, CILIUM_PREFIXES_MAX)) }),
            CILIUM_POOLS_MAX,
          ),
          v.check(
            (allocated) =>
              allocated.flatMap(({ cidrs = [] }) => cidrs).length <= CILIUM_PREFIXES_MAX,
            `must have at most ${CILIUM_PREFIXES_MAX} networks in all pools`,
          ),
        ),
      ),
    }),
  ),
});

const status = loose({
  ipam: v.optional(
    loose({
      used: v.optional(addresses),
      "release-ips": v.optional(byAddress(shortText)),
      "operator-status": v.optional(loose({ error: v.optional(text) })),
    }),
  ),
  operator: v.optional(loose({ error: v.optional(text) })),
});

const KIND = "CiliumNode";
const API_VERSION = "cilium.io/v2";

export const CILIUM_NODE = {
  kind: KIND,
  apiVersions: [API_VERSION],
} as const satisfies ManifestKind;

/** A CiliumNode as `kubectl get -o json` prints it. Fields without an entry here come through as they are. */
export const ciliumNodeBody = loose({
  apiVersion: v.literal(API_VERSION, `must be ${API_VERSION}`),
  kind: v.literal(KIND, `must be ${KIND}, or a list with one`),
  metadata: loose({
    name: newNode,
    uid: v.optional(nodeUid),
    resourceVersion,
    ownerReferences: v.optional(array(loose({ kind: text, uid: nodeUid }), OWNER_REFERENCES_MAX)),
  }),
  spec: v.optional(loose({ ipam: v.optional(ipam, {}) }), {}),
  status: v.optional(status, {}),
});

/** The families that a node can need, as a query writes them. */
export const FAMILY_TEXTS = ["4", "6", "4,6"] as const;

const families = v.pipe(
  v.picklist(FAMILY_TEXTS, `must be ${FAMILY_TEXTS.join(" or ")}`),
  v.transform((said) => said.split(",").map((family) => Number(family) as Family)),
);

const delay = wholeText(0, CILIUM_DELAY_SECONDS_MAX);

export const ciliumNodeQuery = {
  mode: v.optional(
    v.picklist(CILIUM_MODES, `must be one of ${CILIUM_MODES.join(", ")}`),
    "cluster-pool",
  ),
  families: v.optional(families),
  releaseAfterSeconds: v.optional(delay),
  withdrawAfterSeconds: v.optional(delay, String(WITHDRAW_AFTER_SECONDS_DEFAULT)),
};

export const ciliumReleaseQuery = { uid: nodeUid };
