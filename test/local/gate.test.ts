import "./silent.ts";
import { type IncomingHttpHeaders, request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionsOver } from "../../src/local/functions.ts";
import { type Serving, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";

const TOKEN = "0123456789abcdef";
/** The headers that a browser sends for a page of any site. */
const BROWSER = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36",
  accept: "*/*",
  "sec-fetch-mode": "no-cors",
  "sec-fetch-dest": "empty",
};
const ASSIGN = JSON.stringify({ host: "n1", ipv4: 1, handle: "stolen" });

let open: Serving;
let closed: Serving;

beforeAll(async () => {
  const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
  open = await serve(handlers, { port: 0 });
  closed = await serve(handlers, { port: 0, token: TOKEN });
  const json = { "content-type": "application/json" };
  await ask(open, "PUT", "/v1/pools/main", json, JSON.stringify({ cidr: "10.0.0.0/24" }));
});

afterAll(() => Promise.all([open.stop(), closed.stop()]));

describe("a server for this machine only", () => {
  it.each([
    [
      "a page of another site, as text",
      {
        origin: "https://evil.example",
        "sec-fetch-site": "cross-site",
        "content-type": "text/plain;charset=UTF-8",
      },
      403,
      "foreign_origin",
    ],
    [
      "one of another site, of no type",
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      403,
      "foreign_origin",
    ],
    [
      "a frame of no origin",
      { origin: "null", "sec-fetch-site": "cross-site", "content-type": "application/json" },
      403,
      "foreign_origin",
    ],
    [
      "an older browser that says the origin alone",
      { origin: "https://evil.example", "content-type": "text/plain" },
      403,
      "foreign_origin",
    ],
    [
      "another program's page on this machine",
      {
        origin: "http://localhost:3000",
        "sec-fetch-site": "same-site",
        "content-type": "text/plain",
      },
      403,
      "foreign_origin",
    ],
    [
      "a page of this machine over TLS, where no proxy belongs",
      {
        host: "localhost:8787",
        origin: "https://localhost:8787",
        "content-type": "application/json",
      },
      403,
      "foreign_origin",
    ],
    [
      "a page under a name that was made to lead here",
      {
        host: "evil.example:8787",
        origin: "http://evil.example:8787",
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
      },
      403,
      "foreign_host",
    ],
    ["a body of no type, from whomever", {}, 415, "unsupported_media_type"],
    [
      "a form, from whomever",
      { "content-type": "application/x-www-form-urlencoded" },
      415,
      "unsupported_media_type",
    ],
  ])("rejects an assign of %s, and assigns nothing", async (_, headers, status, code) => {
    const told = await ask(open, "POST", "/v1/assign", { ...BROWSER, ...headers }, ASSIGN);
    expect(told).toMatchObject({ status, body: { code, status } });
    expect((await ask(open, "GET", "/v1/handles/stolen")).body.code).toBe("not_found");
  });

  it("rejects what another site's link, image or form makes a browser ask for", async () => {
    for (const site of ["cross-site", "same-site"])
      for (const [method, path] of [
        ["GET", "/v1/contents"],
        ["POST", "/v1/pools/main/drain"],
      ] as const)
        expect(await ask(open, method, path, { ...BROWSER, "sec-fetch-site": site })).toMatchObject(
          {
            status: 403,
            body: { code: "foreign_origin" },
          },
        );
  });

  it.each([
    "evil.example",
    "127.0.0.1.evil.example:80",
    "localhost.evil.example",
    "10.0.0.1",
    "[::2]:8787",
  ])("rejects Host %j", async (host) => {
    expect(await ask(open, "GET", "/v1/pools", { host })).toMatchObject({
      status: 403,
      body: { code: "foreign_host" },
    });
  });

  it.each(["127.0.0.1:8787", "localhost", "LOCALHOST:1", "[::1]:8787"])(
    "knows itself as %s",
    async (host) => {
      expect((await ask(open, "GET", "/v1/pools", { host })).status).toBe(200);
    },
  );

  it("serves a program, and who types its address into a browser", async () => {
    const json = { "content-type": "application/json" };
    const assigned = await ask(
      open,
      "POST",
      "/v1/assign",
      json,
      JSON.stringify({ host: "n1", handle: "h1", ipv4: 1 }),
    );
    expect(assigned.status).toBe(200);
    const typed = { ...BROWSER, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };
    expect((await ask(open, "GET", "/v1/pools", typed)).status).toBe(200);
  });

  it("lets no page ask what it may send", async () => {
    const preflight = { origin: "https://evil.example", "access-control-request-method": "PUT" };
    const { status, headers } = await ask(open, "OPTIONS", "/v1/pools/main", preflight);
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("a server with a token", () => {
  it.each([
    ["none", {}],
    ["another", { authorization: "Bearer 0123456789abcdeg" }],
    ["a longer one", { authorization: `Bearer ${TOKEN}0` }],
    ["its beginning", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["an empty one", { authorization: "Bearer " }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
    ["the token in the query", {}, `/v1/pools?access_token=${TOKEN}`],
  ])("rejects who sends %s", async (_, headers, path = "/v1/pools") => {
    const told = await ask(closed, "GET", path, headers);
    expect(told).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    expect(told.headers["www-authenticate"]).toBe('Bearer realm="plat"');
  });

  it("lets in who sends it, under whatever name it is reached", async () => {
    const headers = { authorization: `bearer ${TOKEN}`, host: "ipam.example" };
    expect((await ask(closed, "GET", "/v1/pools", headers)).status).toBe(200);
  });

  it("lets in the console behind a proxy with TLS, and no page of another name there", async () => {
    const ofPage = (origin: string) => ({
      ...BROWSER,
      authorization: `Bearer ${TOKEN}`,
      host: "ipam.example",
      origin,
      "sec-fetch-site": "same-origin",
    });
    expect((await ask(closed, "GET", "/v1/pools", ofPage("https://ipam.example"))).status).toBe(
      200,
    );
    for (const origin of [
      "https://evil.example",
      "https://ipam.example.evil",
      "ftp://ipam.example",
    ])
      expect((await ask(closed, "GET", "/v1/pools", ofPage(origin))).body.code).toBe(
        "foreign_origin",
      );
  });

  it("rejects pages all the same", async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, origin: "https://evil.example" };
    expect((await ask(closed, "GET", "/v1/pools", headers)).body.code).toBe("foreign_origin");
  });
});

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly code?: string };
}

/** Sends a request with exactly these headers, because `fetch` does not allow those that a browser sets itself. */
function ask(
  { port }: Serving,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: JSON.parse(text),
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
