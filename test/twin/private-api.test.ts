import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AwsClient } from "aws4fetch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import type { Caller } from "../../twin/callers.ts";
import { startGateway } from "../../twin/gateway.ts";
import { filtersOf } from "../../twin/metrics/filters.ts";
import type { Stack } from "../../twin/names.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { ACCESS_BY_TOKEN, PRIVATE_API, PRIVATE_API_ONLY } from "../cdk/choices.ts";
import { eventually } from "../eventually.ts";
import { HANGS_MS } from "../patience.ts";
import { accessLines, hasAccessLine } from "./account.ts";

async function read(response: Response) {
  const text = await response.text();
  return {
    status: response.status,
    location: response.headers.get("location"),
    body: text === "" ? undefined : JSON.parse(text),
  };
}

describe.runIf(emulatorBinary())("the twin of a private REST API with IAM", () => {
  const [plan] = PRIVATE_API.usagePlans;
  const usagePlans = [{ ...plan, throttle: { rateLimit: 1, burstLimit: 40 } }];
  const settings = { api: { ...PRIVATE_API, usagePlans }, spaces: ["blue"], publicHealth: true };
  let twin: Twin;
  let stacks: readonly Stack[];
  /** The time of the throttles, which stands still in a test. */
  let elapsedMs = 0;

  beforeAll(async () => {
    const { deployment, assets, ...made } = await synthesised("dev", settings);
    stacks = made.stacks;
    twin = await startTwin(deployment, assets, { port: 0, elapsedMs: () => elapsedMs });
  }, HANGS_MS);
  afterAll(() => twin?.stop());

  const callerNamed = (name: string): Caller => {
    const found = twin.callers.find((one) => one.name.includes(name));
    if (!found) throw new Error(`there is no caller ${name}`);
    return found;
  };
  const keyOf = (name: string): string =>
    twin.deployment.api.rest?.apiKeys.find((key) => key.name.endsWith(`-${name}`))?.value ?? "";

  async function call(
    caller: Caller,
    method: string,
    path: string,
    body?: object,
    { url = twin.url, key = keyOf("ci") } = {},
  ) {
    const { accessKeyId, secretAccessKey } = caller;
    const { region } = twin.deployment;
    const client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: "execute-api",
      retries: 0,
    });
    const response = await client.fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...(key !== "" && { "x-api-key": key }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return read(response);
  }

  it("assigns, reads and releases under an encoded handle, with the stage in every path", async () => {
    const operator = callerNamed("operator");
    let pools = 0;
    // On a busy machine the marker beside the new table does not answer in its time.
    await eventually(async () => {
      const path = `/v1/pools/main-${pools}`;
      const made = await call(operator, "PUT", path, { cidr: `10.${pools++}.0.0/24` });
      expect(made).toMatchObject({ status: 201, location: `/live${path}` });
    });
    const request = { host: "n1", ipv4: 1, handle: "shop/web 0" };
    const assigned = await call(operator, "POST", "/v1/assign", request);
    expect(assigned.status).toBe(200);
    const [{ address }] = assigned.body.addresses;
    expect(await call(operator, "GET", "/v1/handles/shop%2Fweb%200")).toMatchObject({
      status: 200,
      body: { handle: "shop/web 0", addresses: [{ address, assignedBy: operator.userArn }] },
    });
    expect(await call(operator, "DELETE", "/v1/handles/shop%2Fweb%200")).toMatchObject({
      status: 200,
    });
    expect((await call(operator, "GET", "/v1/handles/shop%2Fweb%200")).status).toBe(404);
  });

  it("lets a caller do what its policy allows, and nothing else of the API", async () => {
    const reader = callerNamed("PlatReader");
    expect((await call(reader, "GET", "/v1/pools")).status).toBe(200);
    expect(await call(reader, "PUT", "/v1/pools/b", { cidr: "10.1.0.0/24" })).toMatchObject({
      status: 403,
      body: { message: "User is not authorized to access this resource" },
    });
    const inBlue = callerNamed("PlatReaderblue");
    expect((await call(inBlue, "GET", "/v1/spaces/blue/pools")).status).toBe(200);
    expect((await call(inBlue, "GET", "/v1/pools")).status).toBe(403);
  });

  it("lets in nobody who has not signed, except for /healthz", async () => {
    const unsigned = await fetch(`${twin.url}/v1/pools`);
    expect(await read(unsigned)).toMatchObject({
      status: 403,
      body: { message: "Missing Authentication Token" },
    });
    expect(await read(await fetch(`${twin.url}/healthz`))).toMatchObject({ status: 200 });
  });

  it("denies everybody who comes through another VPC endpoint", async () => {
    const { deployment, lambda, callers, logs } = twin;
    const elsewhere = {
      deployment,
      lambda,
      callers,
      logs,
      port: 0,
      vpcEndpointId: "vpce-00000000",
    };
    const gateway = await startGateway(elsewhere);
    const url = `http://127.0.0.1:${gateway.port}/live`;
    expect(
      await call(callerNamed("operator"), "GET", "/v1/pools", undefined, { url }),
    ).toMatchObject({ status: 403, body: { message: expect.stringContaining("explicit deny") } });
    expect((await fetch(`${url}/healthz`)).status).toBe(403);
    await gateway.stop();
  });

  it("asks for the key of a plan beside the signature, and a key alone lets in nobody", async () => {
    const operator = callerNamed("operator");
    for (const key of ["", "unknown"])
      expect(await call(operator, "GET", "/v1/pools", undefined, { key })).toMatchObject({
        status: 403,
        body: { message: "Forbidden" },
      });
    const keyOnly = await fetch(`${twin.url}/v1/pools`, { headers: { "x-api-key": keyOf("ci") } });
    expect(keyOnly.status).toBe(403);
  });

  it("answers a path and a method that no route takes as an HTTP API does", async () => {
    const operator = callerNamed("operator");
    expect(await call(operator, "GET", "/v2/pools")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect(await call(operator, "PATCH", "/v1/pools/main", {})).toMatchObject({
      status: 405,
      body: { code: "method_not_allowed" },
    });
    expect(
      (await call(operator, "GET", "/v1/pools", undefined, { url: twin.url.replace("live", "x") }))
        .status,
    ).toBe(403);
  });

  it("limits the callers of one key, and not those of another", async () => {
    const operator = callerNamed("operator");
    elapsedMs += 40_000;
    const statuses = await Promise.all(
      Array.from({ length: 45 }, async () => (await call(operator, "GET", "/v1/jobs")).status),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    const other = { key: keyOf("lab") };
    expect((await call(operator, "GET", "/v1/jobs", undefined, other)).status).toBe(200);
    const [filter = expect.fail()] = filtersOf(stacks).filter(
      ({ logGroup }) => logGroup === twin.deployment.api.accessLog?.logGroup,
    );
    await eventually(async () => {
      const counted = (await accessLines(twin))
        .filter(filter.counts)
        .map((line) => JSON.parse(line));
      expect(counted).toHaveLength(5);
      expect(counted[0]).toMatchObject({ routeKey: "GET /v1/jobs", caller: operator.userArn });
    });
  });
});

const TOKEN = "caller-token-0123456789";

describe.runIf(emulatorBinary())("the twin of a private REST API with tokens", () => {
  let data: string;
  let twin: Twin;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), "plat-"));
    const secret = join(data, "secrets", ACCESS_BY_TOKEN.secret);
    await mkdir(dirname(secret), { recursive: true });
    const hash = createHash("sha256").update(TOKEN).digest("hex");
    const holder = { name: "ci", roles: ["operator@blue"] };
    await writeFile(secret, JSON.stringify({ [hash]: holder }));
    const settings = { api: PRIVATE_API_ONLY, access: ACCESS_BY_TOKEN };
    const { deployment, assets } = await synthesised("dev", settings);
    twin = await startTwin(deployment, assets, { port: 0, data });
  }, HANGS_MS);
  afterAll(async () => {
    await twin?.stop();
    await rm(data, { recursive: true });
  });

  const call = async (token: string | undefined, method: string, path: string, body?: object) =>
    read(
      await fetch(`${twin.url}${path}`, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          "content-type": "application/json",
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );

  it("serves the holder of a token in its space, and names it as the caller", async () => {
    const pool = { cidr: "10.0.0.0/24" };
    const made = await call(TOKEN, "PUT", "/v1/spaces/blue/pools/a", pool);
    expect(made).toMatchObject({ status: 201, location: "/live/v1/spaces/blue/pools/a" });
    const request = { host: "n1", ipv4: 1, handle: "h" };
    const assigned = await call(TOKEN, "POST", "/v1/spaces/blue/assign", request);
    const [{ address }] = assigned.body.addresses;
    const { body } = await call(TOKEN, "GET", `/v1/spaces/blue/addresses/${address}`);
    expect(body.assignedBy).toBe("token:ci");
    const routeKey = "POST /v1/spaces/{space}/assign";
    await hasAccessLine(twin, { routeKey, status: "200", caller: "token:ci" });
  });

  it("rejects a wrong space by name, an unknown token with 403, and no token with 401", async () => {
    expect(await call(TOKEN, "GET", "/v1/spaces/red/pools")).toMatchObject({
      status: 403,
      body: { code: "forbidden", role: "reader" },
    });
    expect(await call("unknown", "GET", "/healthz")).toMatchObject({ status: 403 });
    expect(await call(undefined, "GET", "/healthz")).toMatchObject({
      status: 401,
      body: { message: "Unauthorized" },
    });
  });
});
