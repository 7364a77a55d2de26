import type { JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import type { Deployment } from "../../twin/deployment.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { ACCESS_BY_JWT, CONSOLE_AT_ISSUER } from "../cdk/choices.ts";
import { HANGS_MS } from "../patience.ts";
import { hasAccessLine } from "./account.ts";
import { type Issuer, startIssuer } from "./issuer.ts";

describe.runIf(emulatorBinary())("the twin of dev with JSON Web Tokens", () => {
  let issuer: Issuer;
  let twin: Twin;

  beforeAll(async () => {
    issuer = await startIssuer();
    const { deployment, assets } = await synthesised("dev", {
      access: ACCESS_BY_JWT,
      console: CONSOLE_AT_ISSUER,
    });
    twin = await startTwin(issuedBy(issuer.url, deployment), assets, { port: 0 });
  }, HANGS_MS);
  afterAll(async () => {
    await twin?.stop();
    issuer.stop();
  });

  async function call(
    authorization: string | undefined,
    method: string,
    path: string,
    body?: object,
  ) {
    const response = await fetch(`${twin.url}${path}`, {
      method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        "content-type": "application/json",
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }
  const bearer = async (claims: JWTPayload) => `Bearer ${await issuer.token(claims)}`;

  it("gives everybody the files of the console, which may ask the API and the issuer", async () => {
    const page = await fetch(`${twin.url}/console/pools/a`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain(
      "connect-src 'self' https://login.example.com https://auth.example.com;",
    );
    const [, script = ""] = /src="(\/console\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
    const file = await fetch(`${twin.url}${script}`);
    expect(file.headers.get("content-encoding")).toBe("gzip");
    expect(await file.text()).toContain("Plat");
    const config = await fetch(`${twin.url}/console/config.json`);
    expect(await config.json()).toMatchObject({ signIn: { clientId: "plat-console" } });
    expect((await call(undefined, "GET", "/v1/pools")).status).toBe(401);
  });

  it("serves an assign with the role for it, and tells who the address was assigned by", async () => {
    const operator = await bearer({ sub: "op", plat_roles: ["operator@blue", "reader@*"] });
    const pool = await call(operator, "PUT", "/v1/spaces/blue/pools/a", { cidr: "10.0.0.0/24" });
    expect(pool.status).toBe(201);
    const caller = await bearer({ plat_roles: "caller@blue" });
    const request = { host: "n1", ipv4: 1, handle: "h" };
    const assigned = await call(caller, "POST", "/v1/spaces/blue/assign", request);
    expect(assigned.status).toBe(200);
    const [{ address }] = assigned.body.addresses;
    const read = await call(caller, "GET", `/v1/spaces/blue/addresses/${address}`);
    expect(read.body.assignedBy).toBe(`${issuer.url}#ann`);
    const routeKey = "POST /v1/spaces/{space}/assign";
    await hasAccessLine(twin, { routeKey, status: "200", caller: `${ACCESS_BY_JWT.issuer}#ann` });
  });

  it("rejects a wrong role and a wrong space by name", async () => {
    const caller = await bearer({ plat_roles: "caller@blue" });
    const pool = await call(caller, "PUT", "/v1/spaces/blue/pools/b", { cidr: "10.1.0.0/24" });
    expect(pool).toMatchObject({ status: 403, body: { code: "forbidden", role: "operator" } });
    const red = await call(caller, "GET", "/v1/spaces/red/pools");
    expect(red).toMatchObject({ status: 403, body: { code: "forbidden", role: "reader" } });
    const unnamed = await call(caller, "POST", "/v1/assign", {});
    expect(unnamed).toMatchObject({ status: 403, body: { code: "forbidden" } });
  });

  it("tells what no route takes to everybody with a token", async () => {
    const nowhere = await call(await bearer({}), "GET", "/nowhere");
    expect(nowhere).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  const unauthorized = { status: 401, body: { message: "Unauthorized" } };

  it.each([
    ["of another audience", { aud: "other" }],
    ["of another issuer", { iss: "https://other.example" }],
    ["that has expired", { exp: 1_700_000_000 }],
    ["that is not valid yet", { nbf: 4_000_000_000 }],
  ])("rejects a token %s", async (_, claims) => {
    const token = await bearer({ plat_roles: "operator@*", ...claims });
    expect(await call(token, "GET", "/v1/pools")).toEqual(unauthorized);
  });

  it("rejects a request without a token, with nonsense, and with a token of another key", async () => {
    for (const authorization of [undefined, "", "Bearer", "Bearer a.b.c", "Basic YTpi"])
      expect(await call(authorization, "GET", "/healthz")).toEqual(unauthorized);
    const forged = await issuer.token({ plat_roles: "operator@*" }, "another key");
    expect(await call(`Bearer ${forged}`, "GET", "/v1/pools")).toEqual(unauthorized);
  });
});

/** Returns the deployment with the issuer of this machine in place of that of the template. */
function issuedBy(url: string, { api, ...deployment }: Deployment): Deployment {
  const routes = api.routes.map(({ authorizer, ...route }) => ({
    ...route,
    authorizer: authorizer.type === "jwt" ? { ...authorizer, issuer: url } : authorizer,
  }));
  return { ...deployment, api: { ...api, routes } };
}
