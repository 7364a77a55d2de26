import { authorizedRoutes } from "../api/http/authorized.ts";
import type { Answer, Event } from "../api/http/event.ts";
import { noRoute } from "../api/http/http.ts";
import { Problem } from "../api/schema/problem.ts";
import { cut } from "../api/schema/schema.ts";
import type { Connect, Work } from "../kernel/core/context.ts";
import { listAddresses, readAddress } from "./addresses.ts";
import { changeAddress, deleteAddress } from "./change-address.ts";
import {
  changePrefix,
  createAvailablePrefixes,
  createPrefix,
  deletePrefix,
} from "./change-prefixes.ts";
import { NETBOX_METHODS, NETBOX_PATH } from "./contract/path.ts";
import { createAddresses, createAvailable, createInRange } from "./create-addresses.ts";
import { slugOf, tagBody } from "./fields.ts";
import { onlyIn, queryOf } from "./filter.ts";
import { listAvailable, listAvailablePrefixes } from "./free.ts";
import { onPage } from "./paging.ts";
import { type PlatRoutes, platFor } from "./plat.ts";
import { listPrefixes, readPrefix } from "./prefixes.ts";
import { listAggregates, listRanges, readAggregate, readRange } from "./ranges.ts";
import { type Operation, rejectUnknownFilters } from "./request.ts";
import { API_VERSION, baseOf, readLists, readStatus, rootAnswer } from "./status.ts";
import { listVrfs, readVrf } from "./vrfs.ts";

/**
 * Makes the handler of NetBox's dialect, which serves every path below `/api/`. It calls routes of Plat under the roles of the caller,
 * and has no way to the table of its own. Errors are problems of Plat as plain JSON, because NetBox's clients read no other type.
 */
export function dialect(connect: Connect, routes: PlatRoutes) {
  const operations: Readonly<Record<string, Operation>> = {
    "GET ": async ({ event }) => rootAnswer(event),
    "GET status": readStatus,
    "GET extras/tags": listTags,
    "GET ipam": readLists,
    "GET ipam/vrfs": listVrfs,
    "GET ipam/vrfs/{id}": readVrf,
    "GET ipam/prefixes": listPrefixes,
    "POST ipam/prefixes": createPrefix,
    "GET ipam/prefixes/{id}": readPrefix,
    "PATCH ipam/prefixes/{id}": changePrefix,
    "PUT ipam/prefixes/{id}": changePrefix,
    "DELETE ipam/prefixes/{id}": deletePrefix,
    "GET ipam/prefixes/{id}/available-ips": listAvailable,
    "POST ipam/prefixes/{id}/available-ips": createAvailable,
    "GET ipam/prefixes/{id}/available-prefixes": listAvailablePrefixes,
    "POST ipam/prefixes/{id}/available-prefixes": createAvailablePrefixes,
    "GET ipam/ip-ranges": listRanges,
    "GET ipam/ip-ranges/{id}": readRange,
    "POST ipam/ip-ranges/{id}/available-ips": createInRange,
    "GET ipam/aggregates": listAggregates,
    "GET ipam/aggregates/{id}": readAggregate,
    "GET ipam/ip-addresses": listAddresses,
    "POST ipam/ip-addresses": createAddresses,
    "GET ipam/ip-addresses/{id}": readAddress,
    "PATCH ipam/ip-addresses/{id}": changeAddress,
    "PUT ipam/ip-addresses/{id}": changeAddress,
    "DELETE ipam/ip-addresses/{id}": deleteAddress,
  };
  const serve = async (event: Event, work: Work): Promise<Answer> => {
    const path = event.rawPath.replace(/^\/api\/?/, "").replace(/\/$/, "");
    const [, before = path, id, after = ""] =
      /^([\w-]+\/[\w-]+)\/(\d{1,16})(\/[\w-]+)?$/.exec(path) ?? [];
    const named = id === undefined ? path : `${before}/{id}${after}`;
    const { method } = event.requestContext.http;
    const operation = operations[`${method === "HEAD" ? "GET" : method} ${named}`];
    if (!operation) throw nowhere(operations, method, named);
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

function nowhere(
  operations: Readonly<Record<string, Operation>>,
  method: string,
  path: string,
): Problem {
  const allow = Object.keys(operations)
    .map((key) => key.split(" ") as [string, string])
    .filter(([, known]) => known === path)
    .map(([known]) => known);
  if (allow.length === 0) return noRoute(method, `/api/${cut(path)}/`);
  return new Problem("method_not_allowed", `/api/${cut(path)}/ takes ${allow.join(", ")}.`, {
    allow,
  });
}

/**
 * Finds a tag by its name or its slug, as clients do before they send it. Plat keeps tags with the addresses and nowhere else, so each tag
 * that a client names is there, and a list of all is empty.
 */
const listTags: Operation = async (asked) => {
  const { query } = asked;
  rejectUnknownFilters(query, (name) => ["name", "slug", "limit", "offset"].includes(name));
  const slug = slugOf(onlyIn(query, "slug") ?? onlyIn(query, "name") ?? "");
  return onPage(asked, slug === "" ? [] : [tagBody(slug)]);
};
