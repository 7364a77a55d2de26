import { authorizedRoutes } from "../api/http/authorized.ts";
import type { Event, HttpAnswer } from "../api/http/event.ts";
import { noRoute } from "../api/http/http.ts";
import { Problem } from "../api/schema/problem.ts";
import { cut } from "../api/schema/schema.ts";
import type { Connect, Work } from "../kernel/core/context.ts";
import { ADDRESS_LIST, listIpAddresses, readIpAddress } from "./addresses.ts";
import {
  changeAddress,
  changeAddresses,
  deleteAddress,
  deleteAddresses,
} from "./change-address.ts";
import { changePrefix, changePrefixes, deletePrefix, deletePrefixes } from "./change-prefixes.ts";
import { NETBOX_METHODS, NETBOX_PATH } from "./contract/path.ts";
import { createAddresses, createAvailable, createInRange } from "./create-addresses.ts";
import { createAvailablePrefixes, createPrefix } from "./create-prefixes.ts";
import { queryOf } from "./filter.ts";
import { listAvailable, listAvailableInRange, listAvailablePrefixes } from "./free.ts";
import { LABEL_LISTS, LABEL_OPERATIONS } from "./labels.ts";
import { EMPTY_LISTS, type Lists, listNone, optionsAnswer, schemaAnswer } from "./list.ts";
import { type PlatRoutes, platFor } from "./plat.ts";
import { PREFIX_LIST } from "./prefix-filter.ts";
import { listNetboxPrefixes, readNetboxPrefix } from "./prefixes.ts";
import {
  AGGREGATE_LIST,
  listAggregates,
  listRanges,
  RANGE_LIST,
  readAggregate,
  readRange,
} from "./ranges.ts";
import type { Operation } from "./request.ts";
import { API_VERSION, baseOf, readLists, readStatus, rootAnswer } from "./status.ts";
import { createVrf, listVrfs, readVrf, VRF_LIST } from "./vrfs.ts";

/** The answers of the dialect, by methods and paths below `/api/`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET ": async ({ event }) => rootAnswer(event),
  "GET status": readStatus,
  "GET schema": async ({ base }) => schemaAnswer(Object.keys(OPERATIONS), LISTS, base),
  "GET ipam": readLists,
  "GET ipam/vrfs": listVrfs,
  "POST ipam/vrfs": createVrf,
  "GET ipam/vrfs/{id}": readVrf,
  "GET ipam/prefixes": listNetboxPrefixes,
  "POST ipam/prefixes": createPrefix,
  "PATCH ipam/prefixes": changePrefixes,
  "PUT ipam/prefixes": changePrefixes,
  "DELETE ipam/prefixes": deletePrefixes,
  "GET ipam/prefixes/{id}": readNetboxPrefix,
  "PATCH ipam/prefixes/{id}": changePrefix,
  "PUT ipam/prefixes/{id}": changePrefix,
  "DELETE ipam/prefixes/{id}": deletePrefix,
  "GET ipam/prefixes/{id}/available-ips": listAvailable,
  "POST ipam/prefixes/{id}/available-ips": createAvailable,
  "GET ipam/prefixes/{id}/available-prefixes": listAvailablePrefixes,
  "POST ipam/prefixes/{id}/available-prefixes": createAvailablePrefixes,
  "GET ipam/ip-ranges": listRanges,
  "GET ipam/ip-ranges/{id}": readRange,
  "GET ipam/ip-ranges/{id}/available-ips": listAvailableInRange,
  "POST ipam/ip-ranges/{id}/available-ips": createInRange,
  "GET ipam/aggregates": listAggregates,
  "GET ipam/aggregates/{id}": readAggregate,
  "GET ipam/ip-addresses": listIpAddresses,
  "POST ipam/ip-addresses": createAddresses,
  "PATCH ipam/ip-addresses": changeAddresses,
  "PUT ipam/ip-addresses": changeAddresses,
  "DELETE ipam/ip-addresses": deleteAddresses,
  "GET ipam/ip-addresses/{id}": readIpAddress,
  "PATCH ipam/ip-addresses/{id}": changeAddress,
  "PUT ipam/ip-addresses/{id}": changeAddress,
  "DELETE ipam/ip-addresses/{id}": deleteAddress,
  ...LABEL_OPERATIONS,
  ...Object.fromEntries(Object.keys(EMPTY_LISTS).map((path) => [`GET ${path}`, listNone])),
};

/** The lists of the dialect, by their paths. */
export const LISTS: Lists = {
  "ipam/aggregates": AGGREGATE_LIST,
  "ipam/ip-addresses": ADDRESS_LIST,
  "ipam/ip-ranges": RANGE_LIST,
  "ipam/prefixes": PREFIX_LIST,
  "ipam/vrfs": VRF_LIST,
  ...LABEL_LISTS,
  ...EMPTY_LISTS,
};

/**
 * Makes the handler of NetBox's dialect, which serves every path below `/api/`. It calls routes of Plat under the roles of the caller,
 * and has no way to the table of its own. Errors are problems of Plat as plain JSON, because NetBox's clients read no other type.
 */
export function dialect(connect: Connect, routes: PlatRoutes) {
  const serve = async (event: Event, work: Work): Promise<HttpAnswer> => {
    const path = event.rawPath.replace(/^\/api\/?/, "").replace(/\/$/, "");
    const [, before = path, id, after = ""] =
      /^([\w-]+\/[\w-]+)\/(\d{1,16})(\/[\w-]+)?$/.exec(path) ?? [];
    const named = id === undefined ? path : `${before}/{id}${after}`;
    const { method } = event.requestContext.http;
    const methods = methodsOf(named);
    if (method === "OPTIONS" && methods.length > 0) return optionsAnswer(methods, LISTS[named]);
    const operation = OPERATIONS[`${method === "HEAD" ? "GET" : method} ${named}`];
    if (!operation) throw nowhere(methods, method, named);
    const query = queryOf(event.rawQueryString);
    const asked = { event, id: Number(id ?? 0), path, query, base: baseOf(event) };
    return operation(asked, platFor(event, routes, work));
  };
  const handle = authorizedRoutes(
    connect,
    Object.fromEntries(
      NETBOX_METHODS.filter((method) => method !== "HEAD").map((method) => [
        `${method} ${NETBOX_PATH}`,
        serve,
      ]),
    ),
  );
  return async (event: Parameters<typeof handle>[0]) => {
    const answer = await handle(event);
    const { "content-type": type, ...headers } = answer.headers ?? {};
    return {
      ...answer,
      headers: {
        ...headers,
        ...(type !== undefined && { "content-type": "application/json" }),
        "api-version": API_VERSION,
      },
    };
  };
}

const methodsOf = (path: string): readonly string[] =>
  Object.keys(OPERATIONS)
    .map((key) => key.split(" ") as [string, string])
    .filter(([, known]) => known === path)
    .map(([method]) => method);

function nowhere(allow: readonly string[], method: string, path: string): Problem {
  if (allow.length === 0) return noRoute(method, `/api/${cut(path)}/`);
  return new Problem("method_not_allowed", `/api/${cut(path)}/ takes ${allow.join(", ")}.`, {
    allow,
  });
}
