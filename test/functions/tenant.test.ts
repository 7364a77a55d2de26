import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventOf, type Request } from "../api/event.ts";
import { send, spaceNamed } from "./plat.ts";

/** These tests send requests with tokens, as API Gateway passes them. */

beforeEach(() => {
  vi.stubEnv("ACCESS", "jwt");
  vi.stubEnv("ROLES_CLAIM", "roles");
  vi.stubEnv("TENANT_CLAIM", "org");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

let spaces = 0;

/** Returns a space with a pool, and a call of it with the claims of a JSON Web Token. */
async function spaceOfTenants() {
  const { space } = spaceNamed(`tenants-${spaces++}`);
  const callWith =
    (authorizer: object) =>
    (method: string, path: string, request: Request = {}) => {
      const event = eventOf(method, `/v1/spaces/${space}/${path}`, request);
      return send({ ...event, requestContext: { ...event.requestContext, authorizer } });
    };
  const by = (org?: string) =>
    callWith({
      jwt: {
        claims: {
          iss: "https://a.example",
          sub: "ann",
          roles: "operator@*",
          ...(org !== undefined && { org }),
        },
      },
    });
  await by()("PUT", "pools/main", { body: { cidr: "10.0.0.0/26" } });
  return { by, callWith };
}

let handles = 0;
const asking = (attributes?: object) => ({
  body: { host: "n1", ipv4: 1, handle: `h-${handles++}`, ...(attributes && { attributes }) },
});

describe("a caller whose token names its tenant", () => {
  it("gets addresses with this tenant, whether it names the tenant or not", async () => {
    const { by } = await spaceOfTenants();
    for (const attributes of [undefined, { tenant: "red" }, { pod: "web-0" }]) {
      const assigned = await by("red")("POST", "assign", asking(attributes));
      const { address } = assigned.body.addresses[0];
      const { body } = await by("red")("GET", `addresses/${address}`);
      expect(body.attributes).toEqual({ ...attributes, tenant: "red" });
    }
  });

  it("cannot act for another tenant, and is told its own", async () => {
    const { by } = await spaceOfTenants();
    const { status, body } = await by("red")("POST", "assign", asking({ tenant: "blue" }));
    expect(status).toBe(403);
    expect(body).toMatchObject({
      code: "tenant_mismatch",
      retryable: false,
      detail: "attributes.tenant must be absent, or the tenant of the caller; the token names red.",
      fields: [{ field: "attributes.tenant", value: "blue" }],
    });
  });

  it("cannot make another tenant the owner of an address", async () => {
    const { by } = await spaceOfTenants();
    const assigned = await by("red")("POST", "assign", asking());
    const [{ address, generation }] = assigned.body.addresses;
    const own = (tenant: string) =>
      by("red")("PATCH", `addresses/${address}`, {
        body: { generation, owner: { alternate: { tenant } } },
      });
    expect((await own("blue")).body).toMatchObject({
      code: "tenant_mismatch",
      fields: [{ field: "owner.alternate.tenant" }],
    });
    expect((await own("red")).status).toBe(200);
  });
});

describe("a caller whose token names no tenant, or something that is none", () => {
  it.each([undefined, "", "[red blue]", "a\nb", "t".repeat(1_025)])(
    "may not name one either: %j",
    async (org) => {
      const { by } = await spaceOfTenants();
      expect((await by(org)("POST", "assign", asking())).status).toBe(200);
      const { body } = await by(org)("POST", "assign", asking({ tenant: "red" }));
      expect(body).toMatchObject({ code: "tenant_mismatch" });
      expect(body.detail).toContain("the token names no tenant");
    },
  );
});

it("where no claim names the tenant, a caller names it", async () => {
  vi.stubEnv("TENANT_CLAIM", undefined);
  const { by } = await spaceOfTenants();
  expect((await by("red")("POST", "assign", asking({ tenant: "blue" }))).status).toBe(200);
});

describe("a token of the token map", () => {
  const named = (tenant?: string) => ({
    lambda: { principal: "token:ci", roles: "operator@*", ...(tenant !== undefined && { tenant }) },
  });

  it("that names a tenant is bound to it", async () => {
    const { callWith } = await spaceOfTenants();
    vi.stubEnv("ACCESS", "token");
    const call = callWith(named("red"));
    expect((await call("POST", "assign", asking())).status).toBe(200);
    expect((await call("POST", "assign", asking({ tenant: "blue" }))).body.code).toBe(
      "tenant_mismatch",
    );
  });

  it("that names none may name any", async () => {
    const { callWith } = await spaceOfTenants();
    vi.stubEnv("ACCESS", "token");
    const { status } = await callWith(named())("POST", "assign", asking({ tenant: "blue" }));
    expect(status).toBe(200);
  });
});
