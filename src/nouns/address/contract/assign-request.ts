import * as v from "valibot";
import { attributes } from "../../../api/schema/attributes.ts";
import {
  address,
  addressCount,
  affinityType,
  flag,
  namespaceName,
  networkName,
  newHandle,
  newHost,
  whole,
  wholeOrNone,
} from "../../../api/schema/field.ts";
import { handleProblems, newWorkloadProblems, workload } from "../../../api/schema/handle.ts";
import { hostReserved } from "../../../api/schema/host-reserved.ts";
import { labels } from "../../../api/schema/labels.ts";
import {
  defaultPoolNames,
  isByFamily,
  oneWayToNameDefaults,
  oneWayToNamePools,
  poolNames,
} from "../../../api/schema/pool-names.ts";
import type { FieldProblem } from "../../../api/schema/problem.ts";
import { fields, list, rule } from "../../../api/schema/schema.ts";
import { annotations } from "../../../api/schema/spiderpool-annotations.ts";
import {
  BLOCKS_PER_HOST_MAX,
  LEASE_SECONDS_MAX,
  LIMIT_PER_HANDLE_MAX,
} from "../../../base/limits.ts";
import { type Address, FAMILIES, formatAddress } from "../../../net/address.ts";
import { whyNeverAssigned } from "../../../net/special-ranges.ts";
import { USES } from "../../pool/pool.ts";
import { besideInterfaces, interfaces } from "./interfaces.ts";

/** Specific addresses, at most one of a family. */
const specificAddresses = v.pipe(
  list(
    address,
    { min: 1, max: FAMILIES.length },
    {
      type: "must be an array of addresses, at most one of a family",
      min: "must have an address",
      max: "must have at most one address of a family",
    },
  ),
  v.check(
    (all) => new Set(all.map(({ family }) => family)).size === all.length,
    "must have at most one address of a family",
  ),
);

export const assignBody = v.pipe(
  fields({
    host: newHost,
    affinityType: v.optional(affinityType, "host"),
    ipv4: v.optional(addressCount, 0),
    ipv6: v.optional(addressCount, 0),
    interfaces: v.optional(interfaces),
    address: v.optional(address),
    addresses: v.optional(specificAddresses),
    handle: v.optional(newHandle),
    attributes: v.optional(attributes, {}),
    allowPartial: v.optional(flag, false),
    dryRun: v.optional(flag, false),
    maxBlocksPerHost: v.optional(wholeOrNone(0, BLOCKS_PER_HOST_MAX), null),
    hostReserved: v.optional(hostReserved),
    hostLabels: v.optional(labels),
    namespaceLabels: v.optional(labels),
    labels: v.optional(labels),
    network: v.optional(networkName),
    ...defaultPoolNames,
    limitPerHandle: v.optional(whole(0, LIMIT_PER_HANDLE_MAX), 0),
    leaseSeconds: v.optional(whole(0, LEASE_SECONDS_MAX), 0),
    namespace: v.optional(namespaceName),
    annotations: v.optional(annotations),
    workload: v.optional(workload),
    use: v.optional(v.picklist(USES, `must be one of ${USES.join(", ")}`)),
    ...poolNames,
  }),
  rule((input) => [...oneWayToNamePools(input), ...oneWayToNameDefaults(input)]),
  rule(({ annotations, interfaces = [], ...names }) =>
    annotations?.pools &&
    (names.pools.length > 0 ||
      isByFamily(names) ||
      interfaces.some(({ pools }) => pools.length > 0))
      ? [
          {
            field: "annotations",
            problem: "excludes pools, ipv4Pools and ipv6Pools; send the annotations or the pools",
          },
        ]
      : [],
  ),
  rule((input) => [
    ...handleProblems(input.handle),
    ...newWorkloadProblems(input),
    ...besideWorkload(input),
  ]),
  rule((input) => besideInterfaces(input)),
  rule(({ address, addresses = [] }) => [
    ...(address ? neverAssigned("address", address) : []),
    ...addresses.flatMap((each, n) => neverAssigned(`addresses[${n}]`, each)),
  ]),
  rule(({ ipv4, ipv6, limitPerHandle }) => {
    const most = Math.max(ipv4, ipv6);
    if (limitPerHandle === 0 || most <= limitPerHandle) return [];
    const problem = `is below the ${most} of one family that are asked for`;
    return [{ field: "limitPerHandle", value: limitPerHandle, problem }];
  }),
  rule(({ address, addresses, interfaces, ipv4, ipv6, allowPartial }) => {
    if (interfaces) return [];
    const counts = ipv4 + ipv6;
    if (addresses)
      return [
        ...(address
          ? [{ field: "addresses", problem: "excludes address; send it in the list" }]
          : []),
        ...(counts > 0
          ? [
              {
                field: "addresses",
                problem: "excludes ipv4 and ipv6: it asks for its entries alone",
              },
            ]
          : []),
        ...(allowPartial
          ? [
              {
                field: "allowPartial",
                problem: "is excluded by addresses: all are assigned, or none is",
              },
            ]
          : []),
      ];
    if (address)
      return counts === 0
        ? []
        : [{ field: "address", problem: "excludes ipv4 and ipv6: it asks for itself alone" }];
    return counts > 0
      ? []
      : [
          {
            field: "ipv4",
            problem:
              "is 0 and so is ipv6; send one of them above 0, an address, addresses, or interfaces",
          },
        ];
  }),
);

/** Rejects an address that no host can have. */
function neverAssigned(field: string, address: Address): readonly FieldProblem[] {
  const problem = whyNeverAssigned(address);
  return problem === undefined ? [] : [{ field, value: formatAddress(address), problem }];
}

/** Rejects what an instance cannot have: a name of its own, a limit, a part of the addresses, a lease. */
function besideWorkload(input: {
  readonly workload?: object | undefined;
  readonly handle?: string | undefined;
  readonly limitPerHandle: number;
  readonly allowPartial: boolean;
  readonly leaseSeconds: number;
}): readonly FieldProblem[] {
  const { handle, limitPerHandle, allowPartial, leaseSeconds } = input;
  if (!input.workload) return [];
  const sent = { handle, limitPerHandle, allowPartial, leaseSeconds };
  return Object.entries(sent)
    .filter(([, value]) => value !== undefined && value !== 0 && value !== false)
    .map(([field, value]) => ({ field, value, problem: "is excluded by workload" }));
}
