import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { rollOut } from "../../src/local/rollout.ts";
import { deploymentOf } from "../../twin/deployment.ts";
import { freshAssembly } from "../../twin/fresh.ts";
import type { Statement } from "../../twin/iam.ts";
import type { Resource } from "../../twin/names.ts";
import { readStacks, type Synthesised } from "../../twin/stacks.ts";
import { startTwin, type Twin } from "../../twin/twin.ts";
import { HANGS_MS } from "../patience.ts";
import { call } from "./account.ts";

/** The number of deployments; the demo has 100. */
const DEPLOYMENTS = 20;

describe.runIf(emulatorBinary())("the twin of prod", () => {
  let synthesised: Synthesised;
  let twin: Twin;
  const operate = (of: Twin, method: string, path: string, body?: object) => {
    const [operator] = of.callers;
    if (!operator) throw new Error("there is no operator");
    return call(of, operator, method, path, body && JSON.stringify(body));
  };

  beforeAll(async () => {
    synthesised = readStacks(await freshAssembly("prod"), "prod");
    const { stacks, assets } = synthesised;
    twin = await startTwin(deploymentOf(stacks), assets, { port: 0, scheduleSeconds: 1 });
  }, HANGS_MS);
  afterAll(() => twin?.stop());

  it(
    "carries the demo: no address is given twice, none is lost, every invariant holds, and no scheduled run fails",
    async () => {
      const log = vi.spyOn(console, "log").mockReturnValue();
      const client = twin.clientOf(32);
      expect(await rollOut({ deployments: DEPLOYMENTS, plat: twin, client })).toEqual([]);
      client.close();
      log.mockRestore();
      expect(await failuresOf(twin)).toEqual([]);
    },
    HANGS_MS,
  );

  it("lets in callers by the managed policies of the stacks, and tells who an address was assigned by", async () => {
    const callerOf = (policy: string) => {
      const found = twin.callers.find(({ name }) => name.includes(policy));
      if (!found) throw new Error(`nobody has the policy ${policy}`);
      return found;
    };
    const pool = { cidr: "10.0.0.0/24" };
    expect(await operate(twin, "PUT", "/v1/pools/callers", pool)).toMatchObject({ status: 201 });
    const body = JSON.stringify({ host: "n1", ipv4: 1, handle: "h", pools: ["callers"] });
    const caller = callerOf("PlatCaller");
    expect(await call(twin, callerOf("PlatReader"), "POST", "/v1/assign", body)).toMatchObject({
      status: 403,
      text: '{"message":"Forbidden"}',
    });
    const assigned = await call(twin, caller, "POST", "/v1/assign", body);
    expect(assigned.status).toBe(200);
    const [{ address }] = JSON.parse(assigned.text).addresses;
    const read = await call(twin, callerOf("PlatReader"), "GET", `/v1/addresses/${address}`);
    expect(JSON.parse(read.text)).toMatchObject({ assignedBy: caller.userArn });
    expect((await call(twin, caller, "DELETE", "/v1/pools/callers")).status).toBe(403);
  });

  it("serves what no route takes in the words of the API", async () => {
    const { status, text } = await operate(twin, "GET", "/nowhere");
    expect({ status, code: JSON.parse(text).code }).toEqual({ status: 404, code: "not_found" });
  });

  it("runs each function by its version, which its alias leads to", () => {
    const { functions, api, schedules } = twin.deployment;
    expect(new Set(functions.map(({ version }) => version))).toEqual(new Set(["1"]));
    const called = [...api.routes, ...schedules].map(({ functionArn }) => functionArn);
    expect(called.filter((arn) => !arn.endsWith(":live"))).toEqual([]);
  });

  it("denies a function what its policies do not allow: without the right to write items, no pool can be created", async () => {
    const without = synthesised.stacks.map((stack) => ({
      ...stack,
      resources: Object.fromEntries(
        Object.entries(stack.resources).map(([id, resource]) => [id, readOnly(resource)]),
      ),
    }));
    const denied = await startTwin(deploymentOf(without), synthesised.assets, { port: 0 });
    try {
      expect(await operate(denied, "GET", "/v1/pools")).toMatchObject({ status: 200 });
      const put = await operate(denied, "PUT", "/v1/pools/a", { cidr: "10.0.0.0/24" });
      expect(put.status).toBe(500);
    } finally {
      await denied.stop();
    }
    const { directory } = denied.logs;
    const logs = (await readdir(directory)).map((name) => readFile(join(directory, name), "utf8"));
    expect((await Promise.all(logs)).join()).toMatch(
      /AccessDeniedException.*is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:/,
    );
  });
});

/** What a function says of a table that was too slow for it, as that of a busy machine may be. */
const SLOW = ["UnavailableError", "DeadlineError", "ThrottledError"];
/** The types of the errors that Lambda tells of a run that says so in its log, and of one that took too long. */
const TOLD = ["FailedRunError", "Sandbox.Timedout"];

/** Returns what failed in scheduled runs for another reason than that the machine was slow. */
async function failuresOf({ queues, logs: { directory } }: Twin): Promise<readonly unknown[]> {
  const untold = queues.messages
    .map(({ body }) => (body as { responsePayload?: { errorType?: string } }).responsePayload)
    .filter((payload) => !TOLD.includes(payload?.errorType ?? ""));
  const files = await readdir(directory);
  const lines = await Promise.all(files.map((name) => readFile(join(directory, name), "utf8")));
  const failed = lines
    .flatMap((text) => text.split("\n"))
    .filter((line) => line.includes('"message":"failed"'))
    .map((line) => JSON.parse(line))
    .filter(({ error }) => !SLOW.includes(error?.name));
  return [...untold, ...failed];
}

/** Returns a policy without the statements that write. */
function readOnly(resource: Resource): Resource {
  if (resource.Type !== "AWS::IAM::Policy") return resource;
  const document = resource.Properties?.PolicyDocument as { Statement: Statement[] };
  const Statement = document.Statement.map((statement) => ({
    ...statement,
    Action: [statement.Action ?? []]
      .flat()
      .filter((action) => !/^dynamodb:(Put|Update|Delete)/.test(action)),
  }));
  return {
    ...resource,
    Properties: { ...resource.Properties, PolicyDocument: { ...document, Statement } },
  };
}
