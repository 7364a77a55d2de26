import type * as v from "valibot";
import type { AssignRequest } from "../../allocator/assign/assignment.ts";
import type { assignBody } from "../../contract/requests/assign.ts";
import { defaultPoolsOf } from "../../contract/schema/pool-names.ts";
import { invalid } from "../../contract/schema/problem.ts";
import type { PoolsAsked } from "../../domain/acquire-pools.ts";
import {
  isOfSubnets,
  itemsOfInterfaces,
  type PoolAnnotation,
} from "../../domain/spiderpool-annotations.ts";
import { poolsAsked } from "../pools/pools-asked.ts";

type Input = v.InferOutput<typeof assignBody>;

/** The addresses that a request asks for, and the pools that may serve them. */
type Asked = Pick<AssignRequest, "wanted" | "interfaces" | "cleanGateway"> & PoolsAsked;

/** The pools that one interface asks for with its lists or with annotations. */
type InterfaceAsked = PoolsAsked & Pick<AssignRequest, "cleanGateway">;

/** The interface of a request that names none, as in Spiderpool. */
const INTERFACE_DEFAULT = "eth0";

/** Returns what a request asks for, with its annotations in place of its lists. */
export function askedOf(input: Input): Asked {
  return input.interfaces ? askedByEach(input.interfaces, input) : askedByOne(input);
}

function askedByOne(input: Input): Asked {
  const { annotations } = input;
  const asked = annotations?.pools
    ? askedByAnnotation(annotations.pools, [INTERFACE_DEFAULT])
    : [poolsAsked(input)];
  return { wanted: wantedOf(input), ...(asked[0] as InterfaceAsked), ...networkAsked(input) };
}

function askedByEach(interfaces: NonNullable<Input["interfaces"]>, { annotations }: Input): Asked {
  const names = interfaces.map(({ name }) => name);
  const asked = annotations?.pools
    ? askedByAnnotation(annotations.pools, names)
    : interfaces.map(({ pools }) => ({ pools }));
  return {
    wanted: interfaces.flatMap((each) =>
      wantedOf(each).map((wanted) => ({ ...wanted, interface: each.name })),
    ),
    pools: [],
    interfaces: interfaces.map((each, n) => ({
      name: each.name,
      ...(asked[n] as InterfaceAsked),
      ...networkAsked(each),
    })),
  };
}

const networkAsked = ({
  network,
  ...names
}: Pick<Input, "defaultPools"> & Partial<Pick<Input, "network">>) => {
  const defaultPools = defaultPoolsOf(names);
  return {
    ...(defaultPools && { defaultPools }),
    ...(network !== undefined && { network }),
  };
};

/** Returns the number of addresses of each family; a specific address counts as one of its family. */
function wantedOf({
  address,
  ipv4,
  ipv6,
}: Pick<Input, "ipv4" | "ipv6"> & Partial<Pick<Input, "address">>): AssignRequest["wanted"] {
  if (address) return [{ family: address.family, count: 1 }];
  return [{ family: 4, count: ipv4 } as const, { family: 6, count: ipv6 } as const].filter(
    ({ count }) => count > 0,
  );
}

/** Returns what an annotation asks for each interface, in their order. */
function askedByAnnotation(
  annotation: PoolAnnotation,
  interfaces: readonly string[],
): readonly InterfaceAsked[] {
  const items = itemsOfInterfaces(annotation, interfaces);
  if (!items.ok) throw invalid({ field: `annotations.${annotation.key}`, problem: items.problem });
  return items.value.map(({ pools, cleanGateway }) => ({
    pools: [],
    ...(isOfSubnets(annotation.key) && { applicationOnly: true as const }),
    poolsByFamily: pools,
    ...(cleanGateway && { cleanGateway: true as const }),
  }));
}
