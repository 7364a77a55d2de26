import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../../bench/loading.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { deploymentOf } from "../../twin/deployment.ts";
import { freshAssembly } from "../../twin/fresh.ts";
import { readStacks } from "../../twin/stacks.ts";
import { startTwinOf, type Twin } from "../../twin/twin.ts";
import { nodeEvent } from "../node-objects.ts";
import { call } from "../twin/account.ts";

const { stacks, assets } = readStacks(await freshAssembly("prod"), "prod");
const { functions, schedules } = deploymentOf(stacks);
const bundleOf = (asset: string) => join(assets.get(asset) ?? "", "index.mjs");

/** An interval so long that no schedule starts a run during a test. */
const NEVER_SECONDS = 3_600;
const ASSIGN_BYTES_MAX = 453_000;
const TRIES_MAX = 10;
const BUSY_STATUS = 503;
const isFailed = (outcome: unknown) => JSON.stringify(outcome).includes("FailedRunError");

describe("what is deployed to prod", () => {
  it.each(functions)("loads on Lambda's Node.js by a plain import: $name", async (deployed) => {
    const { processorMs } = await load(bundleOf(deployed.asset), deployed.variables);
    expect(processorMs).toBeGreaterThan(0);
  });

  it("is small where a caller waits for it: assign has 453 kB at most", async () => {
    const assign = functions.find(({ name }) => name.includes("assignFunction"));
    const { length } = await readFile(bundleOf(assign?.asset ?? ""));
    expect(length).toBeLessThanOrEqual(ASSIGN_BYTES_MAX);
  });

  it("leaves the declarations of nouns and their answers out of what assigns and releases", async () => {
    const DECLARED =
      /^src\/nouns\/(\w+\/contract\/([\w-]+-)?answer|(pool|reservation|quota|settings)\/contract\/request)\.ts$/;
    const declaredIn = async (name: string) => {
      const found = functions.find((each) => each.name.includes(`${name}Function`));
      const map = JSON.parse(await readFile(`${bundleOf(found?.asset ?? "")}.map`, "utf8"));
      return map.sources.filter((source: string) => DECLARED.test(source));
    };
    for (const name of ["assign", "release", "batch"])
      expect([name, await declaredIn(name)]).toEqual([name, []]);
    expect(await declaredIn("configure")).not.toEqual([]);
  });

  it("has a source map beside each bundle, which Node.js does not know of", async () => {
    for (const { asset } of functions) {
      const map = JSON.parse(await readFile(`${bundleOf(asset)}.map`, "utf8"));
      expect(map.sources).toContainEqual(expect.stringMatching(/^functions\/\w+\.ts$/));
      expect(await readFile(bundleOf(asset), "utf8")).not.toContain("sourceMappingURL");
    }
  });

  it("is ASCII, because one other character makes Node.js keep a bundle at two bytes a character", async () => {
    const wide: string[] = [];
    for (const { name, asset } of functions)
      if (/[^\0-\x7f]/.test(await readFile(bundleOf(asset), "utf8"))) wide.push(name);
    expect(wide).toEqual([]);
  });
});

describe.runIf(emulatorBinary())("each bundle answers a real event on Lambda's Node.js", () => {
  let twin: Twin;

  beforeAll(async () => {
    twin = await startTwinOf("prod", { port: 0, scheduleSeconds: NEVER_SECONDS });
  });

  afterAll(() => twin.stop());

  it.each([
    ["PUT", "/v1/pools/main", "application/yaml", "cidr: 10.0.0.0/24\nblockSize: 28\n", 201],
    ["PUT", "/v1/pools/main", "application/yaml", "cidr: [10.0.0.0/24", 400],
    ["GET", "/v1/pools/main", "", undefined, 200],
    ["PUT", "/v1/reservations/gateways", "application/json", '{"cidrs": ["10.0.0.1"]}', 201],
    ["PUT", "/v1/nodes/node-1", "application/yaml", "labels:\n  zone: a\n", 201],
    ["PUT", "/v1/namespaces/shop", "application/yaml", "labels:\n  team: a\n", 201],
    ["PUT", "/v1/config", "application/json", '{"strictAffinity": false}', 201],
    [
      "POST",
      "/v1/assign",
      "application/json",
      '{"host": "node-1", "address": "10.0.0.9", "handle": "db-0", "leaseSeconds": 60}',
      200,
    ],
    [
      "POST",
      "/v1/assign",
      "application/json",
      '{"host": "node-1", "ipv4": 1, "handle": "web-0"}',
      200,
    ],
    ["POST", "/v1/nodes/node-2/affinities", "application/json", '{"families": [4]}', 200],
    ["PUT", "/v1/applications/shop/Deployment/web", "application/json", '{"replicas": 2}', 201],
    ["POST", "/v1/nodes/node-2/pod-cidrs", "application/json", '{"uid": "a"}', 409],
    ["GET", "/v1/handles/web-0", "", undefined, 200],
    [
      "PATCH",
      "/v1/addresses/10.0.0.9",
      "application/json",
      '{"handle": "db-0", "leaseSeconds": 90}',
      200,
    ],
    [
      "POST",
      "/v1/batch",
      "application/json",
      '{"requests": [{"assign": {"host": "node-1", "ipv4": 1, "handle": "vm-1"}, "idempotencyKey": "k"}]}',
      200,
    ],
    ["GET", "/v1/utilization", "", undefined, 200],
    ["GET", "/v1/contents", "", undefined, 200],
    ["GET", "/v1/jobs", "", undefined, 200],
    ["GET", "/readyz", "", undefined, 200],
    ["POST", "/v1/release", "application/json", '{"handle": "web-0"}', 200],
    ["GET", "/openapi.json", "", undefined, 200],
    ["GET", "/schemas/AddressAssigned", "", undefined, 200],
    ["GET", "/v1/nowhere", "", undefined, 404],
  ] as const)("%s %s", async (method, path, type, body, status) => {
    const [operator] = twin.callers;
    const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
    const send = () => call(twin, operator ?? expect.fail(), method, path, body, headers);
    let answer = await send();
    // On a busy machine the marker beside the table does not answer a cold function in its time.
    for (let tries = 1; tries < TRIES_MAX && answer.status === BUSY_STATUS; tries++)
      answer = await send();
    expect(answer).toMatchObject({ status });
  });

  it.each(schedules)("a tick of $name", async ({ functionArn, input }) => {
    // The event of a schedule without an input
    // (https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets.html).
    const tick = { "detail-type": "Scheduled Event", source: "aws.scheduler", detail: "{}" };
    const run = () => twin.lambda.invoke(functionArn, input ?? JSON.stringify(tick));
    let outcome = await run();
    // A run may find the table of a busy machine too slow, and the next tick comes.
    for (let tries = 1; tries < TRIES_MAX && isFailed(outcome); tries++) outcome = await run();
    expect(outcome).toEqual({ payload: "null" });
  });

  it("a message of the queue of events", async () => {
    const [source] = twin.deployment.eventSources;
    const body = JSON.stringify(nodeEvent("ADDED", "node-3"));
    await twin.eventSources.send(source?.queueArn ?? "", [{ body }]);
    expect(twin.queues.messages).toEqual([]);
  });

  it("and none was left out", () => {
    const asked = new Set(twin.lambda.environments.map((environment) => environment.function));
    expect([...asked].sort()).toEqual(functions.map(({ name }) => name).sort());
  });
});
