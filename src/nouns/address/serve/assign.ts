import type * as v from "valibot";
import { hexDigest, parseBody, shortDigest } from "../../../api/http/body.ts";
import {
  type AnswerOf,
  assignedBy,
  type BodyOf,
  type Event,
  type Teller,
  timed,
  withTenant,
} from "../../../api/http/event.ts";
import { type RouteHandler, route } from "../../../api/http/http.ts";
import { instancePlace } from "../../../api/http/instance-place.ts";
import { parseIdempotencyKey, parseQuery } from "../../../api/http/parameters.ts";
import type { DryRun } from "../../../api/http/write.ts";
import { DRY_RUN } from "../../../api/query.ts";
import { workloadOf } from "../../../api/schema/handle.ts";
import { defaultPoolsOf, poolsAsked } from "../../../api/schema/pool-names.ts";
import { invalid } from "../../../api/schema/problem.ts";
import type { Rejection } from "../../../base/outcome.ts";
import {
  type Assignment,
  type AssignRequest,
  interfacesOf,
  type WantedCount,
} from "../../../kernel/assign/assignment.ts";
import type { Explanation } from "../../../kernel/assign/explain.ts";
import type { Context, Work } from "../../../kernel/core/context.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { hostId } from "../../../kernel/values/host.ts";
import type { Address } from "../../../net/address.ts";
import type { PoolsAsked } from "../../../selection/acquire-pools.ts";
import {
  isOfSubnets,
  itemsOfInterfaces,
  type PoolAnnotation,
} from "../../../selection/spiderpool-annotations.ts";
import { workloadHandle } from "../../application/workload.ts";
import { assignBody } from "../contract/assign-request.ts";
import { addressNetwork } from "./answer.ts";
import { explanationAnswer } from "./explanation.ts";

/** Makes the route of requests to assign, whose dry runs may have a handle made for them. */
export const assigning =
  (call: AssignCall): RouteHandler<AnswerOf<"POST /v1/assign">> =>
  (event, work) =>
    route((asked) => parseAssign(asked, () => fresh(work.plat)), call, assignAnswer)(event, work);

type AssignCall = (
  plat: Context,
  request: AssignRequest & DryRun,
  work: Work,
) => Promise<Assignment | Explanation | Rejection>;

/**
 * Parses a request to assign.
 *
 * @param freshHandle makes the handle of a dry run that has neither a handle nor an Idempotency-Key. Any other request
 * without both is rejected, because its addresses could not be found if its answer is lost
 */
export function parseAssign(event: Event, freshHandle: () => string): AssignRequest & DryRun {
  const input = parseBody(event, assignBody);
  const query = parseQuery(event, DRY_RUN);
  const { space } = query;
  const key = parseIdempotencyKey(event);
  const pools = askedOf(input);
  const attributes = withTenant(event, input.attributes);
  const workload = workloadOf(input);
  if (workload && key !== undefined) throw KEY_BESIDE_WORKLOAD;
  const dryRun = input.dryRun || query.dryRun;
  const handle = workload ? workloadHandle(workload) : input.handle;
  if (handle === undefined && key === undefined && !dryRun) throw NOT_TO_BE_FOUND;
  const specific = specificIn(input);
  const asked: Digested = {
    space,
    host: hostId(input.affinityType, input.host),
    ...(specific.length > 0 && { addresses: specific }),
    handle: handle ?? (key === undefined ? freshHandle() : `key-${hexDigest(key).slice(0, 32)}`),
    attributes,
    ...(input.use && { use: input.use }),
    ...(input.namespace !== undefined && { namespace: input.namespace }),
    ...pools,
    allowPartial: input.allowPartial,
    // Calico's client sends 0 for "not set".
    ...(input.maxBlocksPerHost && { maxBlocksPerHost: input.maxBlocksPerHost }),
    ...(input.limitPerHandle > 0 && { limitPerHandle: input.limitPerHandle }),
    ...(input.hostReserved && { hostReserved: input.hostReserved }),
    ...(input.leaseSeconds > 0 && { leaseSeconds: input.leaseSeconds }),
  };
  // A retry can have other labels and is still the same request, as it is with registered labels.
  const { hostLabels, namespaceLabels, labels } = input;
  // A request of another caller is still the same request.
  return {
    ...asked,
    ...(hostLabels && { hostLabels }),
    ...(namespaceLabels && { namespaceLabels }),
    ...(labels && { labels }),
    ...assignedBy(event),
    // An instance may come to another host, and the request is still the same.
    digest: shortDigest(canonical(workload ? { ...asked, host: ANY_HOST } : asked)),
    ...(workload && { workload, keyId: instancePlace(space, workload).id }),
    ...(key !== undefined && { keyId: shortDigest(`${asked.handle}\0${key}`) }),
    dryRun,
  };
}

/** The host in the digest of a request that may be repeated from any. */
const ANY_HOST = hostId("host", "*");

const KEY_BESIDE_WORKLOAD = invalid({
  field: "Idempotency-Key",
  problem: "is excluded by workload: the uid of the instance makes the request safe to repeat",
});

/** The problem of a request that cannot be repeated, and whose addresses could not be found if its answer is lost. */
const NOT_TO_BE_FOUND = invalid(
  {
    field: "Idempotency-Key",
    problem:
      "is missing, and so is handle: one of them is required. A key is a text that is new for each request and the same for its repeats",
  },
  {
    field: "handle",
    problem:
      "is missing, and so is Idempotency-Key: one of them is required. A handle is a name under which the addresses are found and released",
  },
);

function assignAnswer(
  result: Assignment | Explanation,
  requestId: string,
): AnswerOf<"POST /v1/assign"> {
  if ("families" in result) return explanationAnswer(result, requestId);
  return { status: 200, body: assignmentBody(result, requestId) };
}

type Assigned = Extract<BodyOf<"POST /v1/assign">, { readonly handle: string }>;
const told: Teller<Assigned> = timed;
const toldAddress: Teller<Assigned["addresses"][number]> = timed;

export const assignmentBody = (result: Assignment, requestId: string) =>
  told({
    requestId,
    ...result,
    addresses: result.addresses.map(({ network, ...address }) =>
      toldAddress({ ...address, ...addressNetwork(address.address, network) }),
    ),
  });

/** Returns the interfaces of a request by name, because their order means nothing. */
const canonicalInterfaces = (asked: Pick<AssignRequest, "wanted" | "interfaces" | "pools">) =>
  interfacesOf(asked)
    .map(({ interface: name, wanted, ...lists }) => ({
      name,
      wanted: wanted.map(canonicalCount),
      ...lists,
    }))
    .toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1));

/** Returns a count of a request. A field that it does not name is a type error; the interface names it beside. */
function canonicalCount({ family, count, interface: _, ...unnamed }: WantedCount) {
  unnamed satisfies Readonly<Record<string, never>>;
  return [family, count];
}

/** The part of a request that its repeat must have too. The rest may differ, or comes by other routes. */
type Digested = Omit<
  AssignRequest,
  | "digest"
  | "keyId"
  | "hostLabels"
  | "namespaceLabels"
  | "labels"
  | "assignedBy"
  | "workload"
  | "stated"
  | "prefixes"
  | "quotaSlots"
>;

/** Returns one text for all forms of the same request. A field that it does not name is a type error. */
function canonical(asked: Digested): string {
  const { space, host, wanted, interfaces, addresses, handle, attributes, use, ...more } = asked;
  const { pools, poolsByFamily, defaultPools, applicationOnly, network, cleanGateway, ...rest } =
    more;
  const { allowPartial, maxBlocksPerHost, leaseSeconds, limitPerHandle, ...last } = rest;
  const { namespace, hostReserved, ...unnamed } = last;
  const [specific, ...others] = addresses ?? [];
  unnamed satisfies Readonly<Record<string, never>>;
  return JSON.stringify([
    space,
    host,
    interfaces ? [] : wanted.map(canonicalCount),
    specific ? String(specific.value) : null,
    handle,
    Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)),
    use ?? null,
    pools,
    allowPartial ?? false,
    maxBlocksPerHost ?? 0,
    leaseSeconds ?? 0,
    limitPerHandle ?? 0,
    ...(namespace === undefined ? [] : [{ namespace }]),
    ...(hostReserved ? [Object.entries(hostReserved)] : []),
    ...(poolsByFamily ? [{ poolsByFamily }] : []),
    ...(defaultPools ? [{ defaultPools }] : []),
    ...(network === undefined ? [] : [{ network }]),
    ...(applicationOnly ? [{ applicationOnly: true }] : []),
    ...(cleanGateway ? [{ cleanGateway: true }] : []),
    ...(interfaces ? [{ interfaces: canonicalInterfaces(asked) }] : []),
    ...(others.length > 0 ? [{ addresses: others.map(({ value }) => String(value)) }] : []),
  ]);
}

type Input = v.InferOutput<typeof assignBody>;

/** The addresses that a request asks for, and the pools that may serve them. */
type Asked = Pick<AssignRequest, "wanted" | "interfaces" | "cleanGateway"> & PoolsAsked;

/** The pools that one interface asks for with its lists or with annotations. */
type InterfaceAsked = PoolsAsked & Pick<AssignRequest, "cleanGateway">;

/** The interface of a request that names none, as in Spiderpool. */
const INTERFACE_DEFAULT = "eth0";

/** Returns what a request asks for, with its annotations in place of its lists. */
function askedOf(input: Input): Asked {
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

/** Returns the specific addresses of a request, IPv4 first, because their order means nothing. */
const specificIn = ({
  address,
  addresses = [],
}: Partial<Pick<Input, "address" | "addresses">>): readonly Address[] =>
  [...(address ? [address] : []), ...addresses].toSorted((a, b) => a.family - b.family);

/** Returns the number of addresses of each family; a specific address counts as one of its family. */
function wantedOf({
  ipv4,
  ipv6,
  ...named
}: Pick<Input, "ipv4" | "ipv6"> &
  Partial<Pick<Input, "address" | "addresses">>): AssignRequest["wanted"] {
  const specific = specificIn(named);
  if (specific.length > 0) return specific.map(({ family }) => ({ family, count: 1 }));
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
