import * as v from "valibot";
import type { Cidr } from "../../domain/cidr.ts";
import { POOL_FIELDS } from "../schema/pool-fields.ts";
import { SET_FIELDS } from "../schema/pool-ranges.ts";
import type { FieldProblem } from "../schema/problem.ts";
import { ipVersion } from "./spider-manifest.ts";

/** The set of addresses of a SpiderIPPool or SpiderSubnet, as Spiderpool writes it. */
export const SPIDER_SET_FIELDS = {
  ipVersion,
  subnet: POOL_FIELDS.cidr,
  ips: v.optional(SET_FIELDS.ranges, []),
  excludeIPs: SET_FIELDS.excludes,
  gateway: SET_FIELDS.gateway,
  routes: SET_FIELDS.routes,
  // Spiderpool has deprecated it: the VLAN belongs to the network.
  vlan: v.optional(v.unknown()),
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
