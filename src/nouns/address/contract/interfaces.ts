import * as v from "valibot";
import { addressCount, interfaceName, networkName } from "../../../api/schema/field.ts";
import { poolList } from "../../../api/schema/pool-names.ts";
import type { FieldProblem } from "../../../api/schema/problem.ts";
import { fields, list, rule } from "../../../api/schema/schema.ts";
import { INTERFACES_PER_REQUEST_MAX } from "../../../base/limits.ts";

/** An interface of the workload, with what it asks for. */
const oneInterface = v.pipe(
  fields({
    name: interfaceName,
    ipv4: v.optional(addressCount, 0),
    ipv6: v.optional(addressCount, 0),
    pools: v.optional(poolList, []),
    defaultPools: v.optional(poolList, []),
    network: v.optional(networkName),
  }),
  rule(({ ipv4, ipv6 }) =>
    ipv4 + ipv6 > 0
      ? []
      : [{ field: "ipv4", problem: "is 0 and so is ipv6; send one of them above 0" }],
  ),
);

/** Makes the schema of a list of interfaces with different names. @param each the content of an entry beside its name, for messages */
export const interfaceList = <Item extends v.GenericSchema<unknown, { readonly name: string }>>(
  item: Item,
  each: string,
) =>
  v.pipe(
    list(
      item,
      { min: 1, max: INTERFACES_PER_REQUEST_MAX },
      {
        type: `must be an array of interfaces, each with ${each}`,
        min: "must have an interface",
        max: `must have at most ${INTERFACES_PER_REQUEST_MAX} interfaces`,
      },
    ),
    v.check(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      "must name each interface once",
    ),
  );

export const interfaces = interfaceList(oneInterface, "its name and its counts");

/** Rejects what each interface says for itself, and what gives a part of the addresses or counts them for a handle. */
export function besideInterfaces(input: {
  readonly interfaces?: unknown;
  readonly [field: string]: unknown;
}): readonly FieldProblem[] {
  if (!input.interfaces) return [];
  const said = (field: string): boolean => {
    const value = input[field];
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  };
  return EXCLUDED.filter(([field]) => said(field)).map(([field, why]) => ({
    field,
    problem: `is excluded by interfaces: ${why}`,
  }));
}

const OWN = "each interface has its own";
const ONE_LIST = "each interface has its pools in one list";
const EXCLUDED = [
  ["ipv4", OWN],
  ["ipv6", OWN],
  ["pools", OWN],
  ["defaultPools", OWN],
  ["network", OWN],
  ["ipv4Pools", ONE_LIST],
  ["ipv6Pools", ONE_LIST],
  ["ipv4DefaultPools", ONE_LIST],
  ["ipv6DefaultPools", ONE_LIST],
  ["address", "it is one address, of no interface"],
  ["addresses", "they are of no interface"],
  ["allowPartial", "all interfaces get their addresses, or none does"],
  ["limitPerHandle", "it counts the addresses of all interfaces together"],
] as const;
