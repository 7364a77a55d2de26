import { describe, expect, it } from "vitest";
import { methodsOf, ROUTES } from "../../src/contract/routes.ts";
import type { Request } from "../api/event.ts";
import { restEventOf } from "../api/rest-event.ts";
import { handlers } from "./plat.ts";

/** These tests send requests as a REST API passes them: payload format 1.0. */

const OPERATOR = "arn:aws:iam::123456789012:user/operator";

async function send(method: string, path: string, request: Request = {}) {
  const rest = restEventOf(method, path, { caller: OPERATOR, ...request });
  const route = ROUTES.find(
    (one) => one.path === rest.resource && methodsOf(one).some((known) => known === method),
  );
  const served = handlers()[route?.function ?? "openapi"] as (event: object) => Promise<{
    readonly statusCode?: number;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly body?: string;
  }>;
  const { statusCode, headers, body = "null" } = await served(rest);
  return { status: statusCode, headers, body: JSON.parse(body) };
}

describe("a private REST API", () => {
  it("assigns, reads and releases under a handle with a slash, and knows the caller", async () => {
    const pool = { body: { cidr: "10.7.0.0/26" } };
    const made = await send("PUT", "/v1/spaces/rest-a/pools/main", pool);
    expect(made).toMatchObject({
      status: 201,
      headers: { location: "/live/v1/spaces/rest-a/pools/main" },
    });
    const request = { host: "n1", ipv4: 1, handle: "ns/web 0" };
    const assigned = await send("POST", "/v1/spaces/rest-a/assign", { body: request });
    expect(assigned.status).toBe(200);
    const handle = "/v1/spaces/rest-a/handles/ns%2Fweb%200";
    const read = await send("GET", handle);
    expect(read.body).toMatchObject({
      handle: "ns/web 0",
      addresses: [{ address: assigned.body.addresses[0].address, assignedBy: OPERATOR }],
    });
    expect(await send("DELETE", handle)).toMatchObject({ status: 200 });
    expect((await send("GET", handle)).status).toBe(404);
  });

  it("answers a path that no route takes, and a method, as an HTTP API does", async () => {
    expect(await send("GET", "/v2/pools")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect(await send("PATCH", "/v1/pools/a")).toMatchObject({
      status: 405,
      body: { code: "method_not_allowed", allow: ["GET", "HEAD", "PUT", "DELETE"] },
    });
  });

  it("tells a comma in a parameter from a parameter that is repeated", async () => {
    const addresses = "/v1/spaces/rest-b/addresses";
    for (const name of ["handle", "attribute.tenant"]) {
      const comma = await send("GET", addresses, { query: { [name]: "x,y" } });
      expect(comma).toMatchObject({ status: 200, body: { addresses: [] } });
      expect(await send("GET", addresses, { query: { [name]: ["x", "y"] } })).toMatchObject({
        status: 400,
        body: { fields: [{ field: `?${name}`, problem: "is repeated: it takes one value" }] },
      });
    }
  });

  it("rejects a path that is no percent-encoding by name", async () => {
    expect(await send("GET", "/v1/handles/%zz")).toMatchObject({
      status: 400,
      body: { code: "invalid_request", fields: [{ field: "path", value: "/v1/handles/%zz" }] },
    });
  });
});
