import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCHEDULED_FUNCTIONS } from "../../cdk/access.ts";
import { ROUTES } from "../../src/edge/api.ts";
import { createTable } from "../../src/local/create-table.ts";
import { type Emulator, emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { dynamoClient } from "../../src/wiring.ts";
import { type DeployedFunction, functionsOf, synthesise } from "../../twin/assembly.ts";
import { eventOf, type Request } from "../edge/event.ts";
import { Bundle } from "./bundle.ts";

const TABLE_NAME = "plat-prod";
/** What Lambda sets for every function, of which a bundle may make use. */
const LAMBDA = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIA",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_SESSION_TOKEN: "token",
};

/** What EventBridge Scheduler sends where a schedule names no input. */
const TICK = {
  version: "0",
  id: "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
  "detail-type": "Scheduled Event",
  source: "aws.scheduler",
  account: "123456789012",
  time: "2026-01-01T00:00:00Z",
  region: LAMBDA.AWS_REGION,
  resources: [`arn:aws:scheduler:${LAMBDA.AWS_REGION}:123456789012:schedule/default/tick`],
  detail: "{}",
};

const directory = await mkdtemp(join(tmpdir(), "plat-"));
const bundles = new Map<string, Bundle>();
let functions: readonly DeployedFunction[] = [];

beforeAll(async () => {
  await synthesise(directory, "prod");
  functions = functionsOf(directory, "prod").map((deployed) => ({
    ...deployed,
    variables: { ...deployed.variables, TABLE_NAME },
  }));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

describe("what is deployed to prod", () => {
  it("loads on Lambda's Node.js: each bundle, by a plain import", async () => {
    const problems = await Promise.all(
      functions.map(async (deployed) => {
        try {
          await (await Bundle.load(deployed, LAMBDA)).end();
          return [];
        } catch (error) {
          return [`${deployed.name}: ${(error as Error).message}`];
        }
      }),
    );
    expect(problems.flat()).toEqual([]);
    expect(functions.map(({ name }) => name)).toContain("assign");
  });
});

describe.runIf(emulatorBinary())("each bundle answers a real event on Lambda's Node.js", () => {
  let emulator: Emulator;

  beforeAll(async () => {
    emulator = await startEmulator();
    const client = dynamoClient(emulator.endpoint);
    await createTable(client, TABLE_NAME);
    client.destroy();
    for (const deployed of functions)
      bundles.set(
        deployed.name,
        await Bundle.load(deployed, { ...LAMBDA, AWS_ENDPOINT_URL_DYNAMODB: emulator.endpoint }),
      );
  });

  afterAll(async () => {
    await Promise.all([...bundles.values()].map((bundle) => bundle.end()));
    await emulator.stop();
  });

  const yaml = (body: string): Request => ({
    body,
    headers: { "content-type": "application/yaml" },
  });
  const json = (body: object): Request => ({
    body,
    headers: { "content-type": "application/json" },
  });
  const asked = new Set<string>(SCHEDULED_FUNCTIONS);

  it.each([
    ["PUT", "/v1/pools/main", yaml("cidr: 10.0.0.0/24\nblockSize: 28\n"), 201],
    ["PUT", "/v1/pools/main", yaml("cidr: [10.0.0.0/24"), 400],
    ["GET", "/v1/pools/main", {}, 200],
    ["PUT", "/v1/reservations/gateways", json({ cidrs: ["10.0.0.1"] }), 201],
    ["PUT", "/v1/nodes/node-1", yaml("labels:\n  zone: a\n"), 201],
    ["PUT", "/v1/namespaces/shop", yaml("labels:\n  team: a\n"), 201],
    ["PUT", "/v1/config", json({ strictAffinity: false }), 201],
    ["POST", "/v1/assign", json({ host: "node-1", ipv4: 1, handle: "web-0" }), 200],
    [
      "POST",
      "/v1/assign",
      json({ host: "node-1", address: "10.0.0.9", handle: "db-0", leaseSeconds: 60 }),
      200,
    ],
    ["POST", "/v1/nodes/node-2/affinities", json({ families: [4] }), 200],
    ["GET", "/v1/handles/web-0", {}, 200],
    ["PATCH", "/v1/addresses/10.0.0.9", json({ handle: "db-0", leaseSeconds: 90 }), 200],
    ["GET", "/v1/utilization", {}, 200],
    ["GET", "/v1/contents", {}, 200],
    ["GET", "/v1/jobs", {}, 200],
    ["GET", "/readyz", {}, 200],
    ["POST", "/v1/release", json({ handle: "web-0" }), 200],
    ["GET", "/openapi.json", {}, 200],
    ["GET", "/v1/nowhere", {}, 404],
  ] as const)("%s %s", async (method, path, request, statusCode) => {
    const event = eventOf(method, path, request);
    const route = ROUTES.find((route) => `${route.method} ${route.path}` === event.routeKey);
    const name = route?.function ?? "openapi";
    asked.add(name);
    const answer = await bundles.get(name)?.invoke(event);
    expect(answer).toMatchObject({ statusCode });
  });

  it.each(SCHEDULED_FUNCTIONS)("a tick of %s", async (name) => {
    await expect(bundles.get(name)?.invoke(TICK)).resolves.toBeUndefined();
  });

  it("and none was left out", () => {
    expect([...asked].sort()).toEqual(functions.map(({ name }) => name).sort());
  });
});
