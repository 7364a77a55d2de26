import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseGrants } from "../../src/api/http/authorized.ts";
import { isAllowed } from "../../src/contract/roles.ts";
import { methodsOf, ROUTES } from "../../src/contract/routes.ts";
import { eventOf } from "../api/event.ts";
import { send } from "./plat.ts";

/** Sends a request with the claims of a JSON Web Token, as API Gateway passes them. */
function sendWith(
  method: string,
  path: string,
  claims: Readonly<Record<string, string>>,
  body?: unknown,
) {
  const event = eventOf(method, path, { body });
  const authorizer = { jwt: { claims } };
  const requestContext = { ...event.requestContext, authorizer };
  return send({ ...event, requestContext });
}

const holding = (roles: string) => ({ iss: "https://a.example", sub: "ann", roles });

beforeEach(() => {
  vi.stubEnv("ACCESS", "jwt");
  vi.stubEnv("ROLES_CLAIM", "roles");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a caller with a token", () => {
  it("is served where its role allows the request in this space", async () => {
    const pools = await sendWith("GET", "/v1/spaces/blue/pools", holding("reader@blue"));
    expect(pools.status).toBe(200);
  });

  it("is told the role and the space that it lacks, and nothing else", async () => {
    const { status, body } = await sendWith(
      "POST",
      "/v1/spaces/red/assign",
      holding("caller@blue"),
    );
    expect({ status, body }).toMatchObject({
      status: 403,
      body: {
        code: "forbidden",
        role: "caller",
        detail: "This request requires the role caller in the space red.",
      },
    });
  });

  it("is told who it is and which grants it has, whatever they are", async () => {
    const { status, body } = await sendWith("GET", "/principal", holding("reader@blue operator"));
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        principal: "https://a.example#ann",
        grants: [
          { role: "reader", space: "blue" },
          { role: "operator", space: "default" },
        ],
      },
    });
    expect((await sendWith("GET", "/principal", holding(""))).body.grants).toEqual([]);
  });

  it("learns of no other space without a role in every space", async () => {
    const { status, body } = await sendWith("GET", "/v1/spaces", holding("operator@blue"));
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { detail: "This request requires the role reader in every space." },
    });
    expect((await sendWith("GET", "/v1/spaces", holding("reader@*"))).status).toBe(200);
  });

  it("is rejected before its body is read", async () => {
    const { body } = await sendWith("PUT", "/v1/pools/a", holding("reader"), "no JSON");
    expect(body.code).toBe("forbidden");
  });

  it("reads no space whose name is no name", async () => {
    const { body } = await sendWith("GET", "/v1/spaces/*/pools", holding("reader@blue"));
    expect(body.code).toBe("forbidden");
  });

  it("has no role without a subject, because no change may be anonymous", async () => {
    const { sub: _, ...anonymous } = holding("operator@*");
    const { status } = await sendWith("GET", "/v1/pools", anonymous);
    expect(status).toBe(403);
  });

  it("has no role without the claim", async () => {
    vi.stubEnv("ROLES_CLAIM", "groups");
    expect((await sendWith("GET", "/v1/pools", holding("operator@*"))).status).toBe(403);
    vi.stubEnv("ROLES_CLAIM", undefined);
    expect((await sendWith("GET", "/v1/pools", holding("operator@*"))).status).toBe(403);
  });

  it("may ask for health and for the OpenAPI document with any token", async () => {
    expect((await sendWith("GET", "/healthz", holding(""))).status).toBe(200);
    expect((await sendWith("GET", "/openapi.json", holding(""))).status).toBe(200);
  });
});

it.each(["reader@blue", "caller@blue", "operator@blue", "operator", "operator@*", ""])(
  "every route decides for the roles %j as the table of roles does",
  async (roles) => {
    for (const route of ROUTES)
      for (const method of methodsOf(route)) {
        const path = route.path.replace("{space}", "blue").replace(/\{\w+\+?\}/g, "x");
        const { status, body } = await sendWith(method, path, holding(roles));
        const space = route.path.includes("{space}") ? "blue" : "default";
        const allowed = isAllowed(parseGrants(roles), `${method} ${route.path}`, space);
        expect
          .soft({ [`${method} ${path}`]: status !== 403 })
          .toEqual({ [`${method} ${path}`]: allowed });
        if (!allowed && method !== "HEAD") expect.soft(body.code).toBe("forbidden");
      }
  },
);

describe("a caller whom a Lambda authorizer names", () => {
  const named = (lambda: { readonly principal: string; readonly roles: string }) => {
    const event = eventOf("GET", "/v1/spaces/blue/pools");
    return send({ ...event, requestContext: { ...event.requestContext, authorizer: { lambda } } });
  };

  it("has the roles of its token, and those only", async () => {
    vi.stubEnv("ACCESS", "token");
    expect((await named({ principal: "token:ci", roles: "reader@blue" })).status).toBe(200);
    expect((await named({ principal: "token:ci", roles: "reader@red" })).status).toBe(403);
  });
});

describe("without such a token", () => {
  it("a deployment with tokens serves nobody", async () => {
    const event = eventOf("GET", "/v1/pools", { caller: "arn:aws:iam::123456789012:user/ann" });
    expect((await send(event)).status).toBe(403);
    expect((await send(eventOf("GET", "/v1/pools"))).status).toBe(403);
  });

  it("a deployment with an unknown way serves nobody", async () => {
    vi.stubEnv("ACCESS", "nothing");
    expect((await send(eventOf("GET", "/v1/pools"))).status).toBe(403);
  });

  it("a deployment with IAM serves whom API Gateway lets in", async () => {
    vi.stubEnv("ACCESS", "iam");
    const event = eventOf("GET", "/v1/pools", { caller: "arn:aws:iam::123456789012:user/ann" });
    expect((await send(event)).status).toBe(200);
  });
});

it("a caller whom IAM has let in is told its ARN, and no grants, because policies decide", async () => {
  vi.stubEnv("ACCESS", "iam");
  const event = eventOf("GET", "/principal");
  const authorizer = { iam: { userArn: "arn:aws:iam::123456789012:user/ann" } };
  const { body } = await send({
    ...event,
    requestContext: { ...event.requestContext, authorizer },
  });
  expect(body).toEqual({ principal: "arn:aws:iam::123456789012:user/ann" });
});
