import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Caller, OPERATOR_KEYS } from "../../twin/callers.ts";
import { signerOf } from "../../twin/signature.ts";
import { axeFindings, openSite, type Site } from "./browser.ts";

const TOKEN = "0123456789abcdef";
const REGION = "eu-central-1";
const CALLER: Caller = {
  name: "operator",
  userArn: "arn:aws:iam::123456789012:user/operator",
  ...OPERATOR_KEYS,
  statements: [],
};

const DENIED = '{"message":"Forbidden"}';

/** Returns a caller whose policies allow some routes only. */
const callerOf = (name: string): Caller => ({
  name,
  userArn: `arn:aws:iam::123456789012:user/${name}`,
  accessKeyId: `AKIA${name.toUpperCase()}`,
  secretAccessKey: `secret of ${name}`,
  statements: [],
});
const READER = callerOf("reader");
const OF_BLUE = callerOf("blue");

/** Returns true if the policies of a caller allow a route. */
function isAllowed(caller: Caller, method: string, url: string): boolean {
  if (caller === READER) return method === "GET" && !/^\/v1\/spaces(\?|$)/.test(url);
  return caller === OF_BLUE ? url.startsWith("/v1/spaces/blue/") : true;
}

/** Nothing of who is signed in is kept: neither in a storage nor in a cookie. */
const kept = (page: Page) =>
  page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]");

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("an API that authorizes by IAM", () => {
  let site: Site;
  let gateway: Awaited<ReturnType<typeof listening>>;

  beforeAll(async () => {
    site = await openSite({
      token: TOKEN,
      settings: { signIn: { type: "iam", region: REGION }, origins: [] },
    });
    // What API Gateway does: it verifies the signature, and answers in its own words.
    gateway = await listening(async (incoming, response) => {
      const { method, url = "", headers } = incoming;
      const body = await bodyOf(incoming);
      const isFile = url.startsWith("/console");
      const caller = await signerOf(incoming, body, REGION, [CALLER, READER, OF_BLUE]);
      if (!isFile && !(caller && isAllowed(caller, method ?? "", url))) {
        response.writeHead(403, { "content-type": "application/json" });
        response.end(
          caller ? DENIED : '{"message":"The security token included in the request is invalid."}',
        );
        return;
      }
      const authorization = `Bearer ${TOKEN}`;
      const forwarded = request(
        new URL(url, site.url),
        { method, headers: { ...headers, authorization } },
        (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(response);
        },
      );
      forwarded.end(body);
    });
  });

  afterAll(async () => {
    gateway.close();
    await site.close();
  });

  const signIn = async (page: Page, { accessKeyId, secretAccessKey }: Caller) => {
    await page.getByLabel("Access key ID").fill(accessKeyId);
    await page.getByLabel("Secret access key").fill(secretAccessKey);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  it("leaves what was entered to a user who lacks a role, and to the next sign-in", async () => {
    const { page } = await site.open(`${gateway.url}/console/reservations`);
    await signIn(page, READER);
    await page.getByText("No range is reserved.").waitFor();
    await page.getByRole("button", { name: "Reserve" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("printers");
    await dialog.getByLabel("Ranges").fill("10.0.0.16/28");
    await dialog.getByRole("button", { name: "Show what it would do" }).click();
    await dialog.getByText("Your role does not allow it").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Sign in again" }).click();
    await page.getByRole("button", { name: "Back to the page" }).click();
    await dialog.getByRole("button", { name: "Sign in again" }).click();
    await signIn(page, CALLER);
    await dialog.getByRole("button", { name: "Show what it would do" }).click();
    await dialog.getByText("10.0.0.16/28").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("printers");
    expect(await page.title()).toBe("Reservations · Plat");
    await page.close();
  });

  it("leads a user who may not list all spaces to one by its name", async () => {
    const { page } = await site.open(`${gateway.url}/console/spaces`);
    await signIn(page, READER);
    await page.getByText("Your role does not allow it").waitFor();
    await page.getByLabel("Open a space by its name").waitFor();
    await page.getByRole("button", { name: "Sign in again" }).click();
    const again = page.waitForRequest(/\/v1\/spaces(\?|$)/);
    await signIn(page, OF_BLUE);
    await again;
    await page.getByText("may not list all spaces").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const box = page.getByLabel("Open a space by its name").locator("visible=true");
    await box.fill("blue");
    await box.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/spaces/blue/");
    await page.close();
  });

  it("gets requests that the browser signs, reads and changes, with keys that stay in memory", async () => {
    const { page, errors } = await site.open(`${gateway.url}/console/reservations`);
    await page.getByLabel("Access key ID").fill(CALLER.accessKeyId);
    await page.getByLabel("Secret access key").fill("wrong");
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The security token included in the request is invalid.").waitFor();
    await page.getByLabel("Access key ID").fill(CALLER.accessKeyId);
    await page.getByLabel("Secret access key").fill(CALLER.secretAccessKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("No range is reserved.").waitFor();
    await page.getByRole("button", { name: "Reserve" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("routers");
    await dialog.getByLabel("Ranges").fill("10.0.0.0/28");
    await dialog.getByRole("button", { name: "Show what it would do" }).click();
    await dialog.getByRole("button", { name: "Reserve" }).click();
    await dialog.getByText("are reserved as routers").waitFor();
    expect(await kept(page)).toEqual([0, 0, ""]);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe("an API that authorizes by an issuer of JSON Web Tokens", () => {
  let site: Site;
  let issuer: Awaited<ReturnType<typeof listening>>;
  let isDenied = false;

  beforeAll(async () => {
    const challenges = new Map<string, string>();
    const allowed = { "content-type": "application/json", "access-control-allow-origin": "*" };
    issuer = await listening(async (incoming, response) => {
      const url = new URL(incoming.url ?? "", issuer.url);
      const json = (status: number, body: unknown) => {
        response.writeHead(status, allowed);
        response.end(JSON.stringify(body));
      };
      if (url.pathname === "/.well-known/openid-configuration")
        return json(200, {
          issuer: issuer.url,
          authorization_endpoint: `${issuer.url}/authorize`,
          token_endpoint: `${issuer.url}/token`,
        });
      if (url.pathname === "/authorize") {
        const { searchParams } = url;
        const code = randomUUID();
        challenges.set(code, searchParams.get("code_challenge") ?? "");
        const back = new URL(searchParams.get("redirect_uri") ?? "");
        if (isDenied) back.searchParams.set("error", "access_denied");
        else back.searchParams.set("code", code);
        back.searchParams.set("state", searchParams.get("state") ?? "");
        response.writeHead(302, { location: back.href });
        return response.end();
      }
      const sent = new URLSearchParams((await bodyOf(incoming)).toString());
      const verifier = createHash("sha256").update(sent.get("code_verifier") ?? "");
      const isProved = verifier.digest("base64url") === challenges.get(sent.get("code") ?? "");
      return isProved
        ? json(200, { access_token: TOKEN, token_type: "Bearer", expires_in: 300 })
        : json(400, { error: "invalid_grant" });
    });
    site = await openSite({
      token: TOKEN,
      settings: {
        signIn: { type: "jwt", issuer: issuer.url, clientId: "plat-console", scope: "plat" },
        origins: [issuer.url],
      },
    });
  });

  afterAll(async () => {
    issuer.close();
    await site.close();
  });

  it("gets the token of the issuer, and the user the page that was asked for", async () => {
    const { page, errors } = await site.open("/console/jobs?sort=-State");
    const button = page.getByRole("button", { name: /^Sign in at 127/ });
    await button.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button.click();
    await page.getByText("No drain, delete, shrink or release").waitFor();
    await expect.poll(() => page.url()).toBe(`${site.url}/console/jobs?sort=-State`);
    expect(await kept(page)).toEqual([0, 0, ""]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("leaves a dialog its input and its Idempotency-Key, so that a lost answer costs no second address", async () => {
    const authorization = { authorization: `Bearer ${TOKEN}` };
    await site.api("PUT", "/v1/pools/pods", { cidr: "10.64.0.0/24" }, authorization);
    const { page } = await site.open("/console/pools/pods?act=assign");
    const signIn = page.getByRole("button", { name: /^Sign in at 127/ });
    await signIn.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Handle").fill("web-0");
    await dialog.getByLabel("Host").fill("node-1");
    const keys: (string | undefined)[] = [];
    await page.route("**/v1/assign", async (route) => {
      keys.push(route.request().headers()["idempotency-key"]);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const assign = async () => {
      await dialog.getByRole("button", { name: "Show what it would do" }).click();
      await dialog.getByRole("button", { name: "Assign", exact: true }).click();
    };
    await assign();
    await dialog.getByText("The change may have been made").waitFor();
    await page.route("**/v1/**", (route) =>
      route.fulfill({ status: 401, json: { message: "Unauthorized" } }),
    );
    await signIn.click();
    await page.waitForURL(/act=assign/);
    await page.unroute("**/v1/**");
    await assign();
    await dialog.getByText("is assigned to web-0").waitFor();
    expect(keys).toEqual([keys[0], keys[0]]);
    const { addresses } = await site.api("GET", "/v1/handles/web-0", undefined, authorization);
    expect(addresses).toHaveLength(1);
    expect(await kept(page)).toEqual([0, 0, ""]);
    await page.close();
  });

  it("gets no token from a user who was denied, or from a return that nobody asked for", async () => {
    isDenied = true;
    const { page } = await site.open("/console/jobs");
    await page.getByRole("button", { name: /^Sign in at 127/ }).click();
    await page.getByText("Signing in failed").waitFor();
    await page.goto(`${site.url}/console/?code=stolen&state=other`);
    await page.getByText("no sign-in is under way").waitFor();
    await page.close();
  });
});
