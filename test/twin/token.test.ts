import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { ACCESS_BY_TOKEN } from "../cdk/choices.ts";
import { HANGS_MS } from "../patience.ts";
import { hasAccessLine } from "./account.ts";

const TOKENS = { op: "operator-token-0123456789", ci: "caller-token-0123456789" };
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe.runIf(emulatorBinary())("the twin of dev with tokens", () => {
  let data: string;
  let twin: Twin;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "plat-"));
    const secret = join(data, "secrets", ACCESS_BY_TOKEN.secret);
    await mkdir(dirname(secret), { recursive: true });
    const holders = {
      [sha256(TOKENS.op)]: { name: "op", roles: ["operator@blue"] },
      [sha256(TOKENS.ci)]: { name: "ci", roles: ["caller@blue"] },
      "no hash": { name: "x", roles: ["operator@*"] },
    };
    await writeFile(secret, JSON.stringify(holders));
    const { deployment, assets } = await synthesised("dev", { access: ACCESS_BY_TOKEN });
    twin = await startTwin(deployment, assets, { port: 0, data });
  }, HANGS_MS);
  afterAll(async () => {
    await twin?.stop();
    await rm(data, { recursive: true });
  });

  async function call(token: string | undefined, method: string, path: string, body?: object) {
    const response = await fetch(`${twin.url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        "content-type": "application/json",
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }

  it("serves an assign with the role for it, and tells who the address was assigned by", async () => {
    const pool = { cidr: "10.0.0.0/24" };
    expect(await call(TOKENS.op, "PUT", "/v1/spaces/blue/pools/a", pool)).toMatchObject({
      status: 201,
    });
    const request = { host: "n1", ipv4: 1, handle: "h" };
    const assigned = await call(TOKENS.ci, "POST", "/v1/spaces/blue/assign", request);
    expect(assigned.status).toBe(200);
    const [{ address }] = assigned.body.addresses;
    const read = await call(TOKENS.op, "GET", `/v1/spaces/blue/addresses/${address}`);
    expect(read.body.assignedBy).toBe("token:ci");
    const routeKey = "POST /v1/spaces/{space}/assign";
    await hasAccessLine(twin, { routeKey, status: "200", caller: "token:ci" });
  });

  it("serves a client of NetBox under the roles of its token", async () => {
    const ask = async (token: string, method: string, path: string, body?: object) => {
      const answer = await fetch(`${twin.url}/api/${path}`, {
        method,
        headers: { authorization: `Token ${token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const version = answer.headers.get("api-version");
      return { status: answer.status, version, body: text && JSON.parse(text) };
    };
    const { ci, op } = TOKENS;
    expect(await ask(ci, "GET", "")).toMatchObject({ status: 200, version: "4.4" });
    expect(await ask(ci, "HEAD", "status/")).toMatchObject({ status: 200, body: "" });
    const [prefix] = (await ask(ci, "GET", "ipam/prefixes/?vrf=blue")).body.results;
    const made = await ask(ci, "POST", `ipam/prefixes/${prefix.id}/available-ips/`, {});
    expect(made).toMatchObject({ status: 201, body: { vrf: { name: "blue" } } });
    expect((await ask(ci, "GET", "ipam/prefixes/")).status).toBe(403);
    expect((await ask(ci, "DELETE", `ipam/ip-addresses/${made.body.id}/`)).status).toBe(204);
    const routeKey = "POST /api/{path+}";
    await hasAccessLine(twin, { routeKey, status: "201", caller: "token:ci" });

    const container = { prefix: "10.64.0.0/16", status: "container", vrf: { name: "blue" } };
    expect((await ask(ci, "POST", "ipam/prefixes/", container)).status).toBe(403);
    const created = await ask(op, "POST", "ipam/prefixes/", container);
    expect(created.status).toBe(201);
    const path = `ipam/prefixes/${created.body.id}/`;
    expect((await ask(ci, "GET", `${path}available-prefixes/?limit=1`)).body).toHaveLength(1);
    const child = await ask(op, "POST", `${path}available-prefixes/`, { prefix_length: 24 });
    expect(child.status).toBe(201);
    expect((await ask(op, "DELETE", `ipam/prefixes/${child.body.id}/`)).status).toBe(204);
    expect((await ask(op, "DELETE", path)).status).toBe(204);
  });

  it("rejects a wrong role and a wrong space by name", async () => {
    const pool = { cidr: "10.1.0.0/24" };
    expect(await call(TOKENS.ci, "PUT", "/v1/spaces/blue/pools/b", pool)).toMatchObject({
      status: 403,
      body: { code: "forbidden", role: "operator" },
    });
    expect(await call(TOKENS.op, "GET", "/v1/spaces/red/pools")).toMatchObject({
      status: 403,
      body: { code: "forbidden", role: "reader" },
    });
  });

  it("rejects an unknown token with 403, and a request without one with 401", async () => {
    for (const token of ["unknown", sha256(TOKENS.op), `${TOKENS.op}x`])
      expect(await call(token, "GET", "/healthz")).toEqual({
        status: 403,
        body: { message: "Forbidden" },
      });
    expect(await call(undefined, "GET", "/healthz")).toEqual({
      status: 401,
      body: { message: "Unauthorized" },
    });
  });

  it("logs no token and no hash, and says that an entry of the secret is malformed", async () => {
    const { directory } = twin.logs;
    const logs = await Promise.all(
      (await readdir(directory)).map((name) => readFile(join(directory, name), "utf8")),
    );
    const text = logs.join("\n");
    expect(text).toContain('"malformed":[3]');
    for (const token of Object.values(TOKENS)) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(sha256(token));
    }
  });

  it("lets no other function read the secret", async () => {
    const { functions } = twin.deployment;
    const readers = functions.filter(({ role }) =>
      JSON.stringify(role.statements).includes("secretsmanager"),
    );
    expect(readers.map(({ name }) => name)).toEqual([expect.stringContaining("authorize")]);
  });
});
