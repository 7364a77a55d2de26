import type { Event, HttpAnswer } from "../api/http/event.ts";
import { NETBOX_ROOT } from "./contract/path.ts";
import type { Operation } from "./request.ts";

/** The version of NetBox whose forms the dialect follows. */
const NETBOX_VERSION = "4.4.10";
/** Its version of the API, which clients read from a header of every answer. */
export const API_VERSION = "4.4";

/** Tells which NetBox the dialect follows. */
export const readStatus: Operation = async () => ({
  status: 200,
  body: {
    "netbox-version": NETBOX_VERSION,
    "netbox-full-version": NETBOX_VERSION,
    "installed-apps": {},
    plugins: {},
    "rq-workers-running": 0,
  },
});

const LISTS = ["aggregates", "ip-addresses", "ip-ranges", "prefixes", "vrfs"];

/** Answers the root of the dialect, from which clients read the version of the API. */
export const rootAnswer = (event: Event): HttpAnswer => {
  const base = baseOf(event);
  return {
    status: 200,
    headers: { "api-version": API_VERSION },
    body: { ipam: `${base}ipam/`, schema: `${base}schema/`, status: `${base}status/` },
  };
};

/** Returns true for the path of the root, with or without its slash. */
export const isRoot = (path: string): boolean => path === NETBOX_ROOT || path === `${NETBOX_ROOT}/`;

/** Lists the lists of the dialect. */
export const readLists: Operation = async ({ base }) => ({
  status: 200,
  body: Object.fromEntries(LISTS.map((list) => [list, `${base}ipam/${list}/`])),
});

/** Returns the URL of the dialect's root, as the client called it. */
export function baseOf({ headers, requestContext }: Event): string {
  const { stage, domainName } = requestContext;
  // API Gateway speaks HTTPS and says so. A server on this machine does neither.
  const protocol = headers["x-forwarded-proto"] ?? "http";
  const place = stage === "$default" ? "" : `/${stage}`;
  return `${protocol}://${headers.host ?? domainName}${place}/api/`;
}
