import * as v from "valibot";
import { whole } from "../../../api/schema/field.ts";
import type { FieldProblem } from "../../../api/schema/problem.ts";
import type { Cidr } from "../../../net/cidr.ts";
import { VLAN_ID_MAX } from "../limits.ts";
import { POOL } from "./request.ts";
import { ipVersion } from "./spider-manifest.ts";

/** The set of addresses of a SpiderIPPool or SpiderSubnet, as Spiderpool writes it. */
export const SPIDER_SET_FIELDS = {
  ipVersion,
  subnet: POOL.cidr.read,
  ips: v.optional(POOL.ranges.read, []),
  excludeIPs: POOL.excludes.read,
  gateway: POOL.gateway.read,
  routes: POOL.routes.read,
  // Spiderpool writes 0 for none (https://github.com/spidernet-io/spiderpool/blob/main/docs/reference/crd-spiderippool.md).
  vlan: v.optional(
    v.pipe(
      whole(0, VLAN_ID_MAX),
      v.transform((vlan) => (vlan === 0 ? undefined : vlan)),
    ),
  ),
};

/** Returns the problem of a family that is not the one of the subnet. */
export const familyProblems = ({
  ipVersion,
  subnet: { family },
}: {
  readonly ipVersion?: number | undefined;
  readonly subnet: Cidr;
}): FieldProblem[] =>
  ipVersion === undefined || ipVersion === family
    ? []
    : [{ field: "ipVersion", value: ipVersion, problem: `must be ${family}, as subnet says` }];

/** The names that Spiderpool has for fields of a pool. */
const THEIR_NAMES: ReadonlyMap<string, string> = new Map([
  ["cidr", "subnet"],
  ["ranges", "ips"],
  ["excludes", "excludeIPs"],
]);

/** Returns a problem of a pool with the field that the manifest has for it. */
export const inTheirWords = (problem: FieldProblem): FieldProblem => ({
  ...problem,
  field: problem.field.replace(/^\w+/, (name) => THEIR_NAMES.get(name) ?? name),
});
