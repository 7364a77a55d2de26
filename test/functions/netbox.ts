import { NETBOX_PATH } from "../../src/netbox/contract/path.ts";
import { eventOf, type Request } from "../api/event.ts";
import { handlers } from "./plat.ts";
import { runAs } from "./rights.ts";

export interface NetboxRequest extends Request {
  /** The roles of a caller with a token; without them the gate of a local server has let it in. */
  readonly roles?: string;
  readonly tenant?: string;
}

/** Sends a request of NetBox's dialect to its function, under the rights of this function. */
export async function netbox(method: string, path: string, request: NetboxRequest = {}) {
  const { roles, tenant } = request;
  const event = eventOf(method, `/api/${path}`, request);
  const routeKey = `${method} ${NETBOX_PATH}`;
  const lambda = { principal: "token:ci", roles: roles ?? "", ...(tenant && { tenant }) };
  const { statusCode, headers, body } = await runAs("netbox", () =>
    handlers().netbox({
      ...event,
      headers: { host: "plat.test", ...event.headers },
      routeKey,
      requestContext: {
        ...event.requestContext,
        routeKey,
        ...(roles !== undefined && { authorizer: { lambda } }),
      },
    }),
  );
  return {
    status: statusCode ?? 0,
    headers: headers ?? {},
    // biome-ignore lint/suspicious/noExplicitAny: tests check the parts of the body that they use
    body: JSON.parse(body ?? "null") as any,
  };
}
