import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import type { Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { arnOf, startAccount, type TestFunction } from "./account.ts";

/** Code that answers with its process number and its state. */
const TELLING = `
  let calls = 0;
  export const handler = async (event, context) => {
    const { getRemainingTimeInMillis, ...rest } = context;
    return { pid: process.pid, calls: ++calls, event, context: rest, leftMs: getRemainingTimeInMillis(), environment: process.env, canSend: typeof process.send };
  };`;
/**
 * Code that waits until all its calls are in progress at once, each in its own process. The
 * processes meet in a folder.
 */
const MEETING = `
  import { readdirSync, writeFileSync } from "node:fs";
  export const handler = async ({ folder, count }) => {
    writeFileSync(folder + "/" + process.pid, "");
    while (readdirSync(folder).length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    return process.pid;
  };`;
const newFolder = () => mkdtemp(join(tmpdir(), "plat-"));

const NEVER = "export const handler = () => new Promise(() => setInterval(() => {}, 1000));";

const QUEUE = { Failed: { Type: "AWS::SQS::Queue" } };
const asynchronously = (name: string) => ({
  Type: "AWS::Lambda::EventInvokeConfig",
  Properties: {
    DestinationConfig: { OnFailure: { Destination: arnOf("Failed") } },
    FunctionName: { Ref: name },
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
    Qualifier: "$LATEST",
  },
});
const SEND = [{ Effect: "Allow", Action: "sqs:SendMessage", Resource: arnOf("Failed") }];

const functions: Readonly<Record<string, TestFunction>> = {
  telling: {
    code: TELLING,
    properties: { Environment: { Variables: { COLOUR: "green" } }, MemorySize: 256, Timeout: 7 },
  },
  meeting: { code: MEETING, properties: { Timeout: 30 } },
  never: { code: NEVER, properties: { Timeout: 1 }, statements: SEND },
  reserved: {
    code: MEETING,
    properties: { ReservedConcurrentExecutions: 1, Timeout: 30 },
    statements: SEND,
  },
  crashing: { code: "export const handler = () => process.exit(3);", statements: SEND },
  throwing: {
    code: 'export const handler = async () => { throw new TypeError("no such thing"); };',
    statements: SEND,
  },
  mute: { code: "export const handler = () => process.exit(3);" },
  broken: { code: 'throw new Error("broken as it is loaded");' },
  unfit: { code: "export const main = 1;" },
  large: { code: 'export const handler = async () => "x".repeat(7_000_000);' },
};

describe.runIf(emulatorBinary())("a function of the twin", () => {
  let twin: Twin;
  const invoke = async (name: string, event: unknown = {}) => {
    const found = twin.deployment.functions.find((one) => one.name === name);
    const outcome = await twin.lambda.invoke(found?.arn ?? "", JSON.stringify(event));
    return typeof outcome === "object" && "payload" in outcome
      ? JSON.parse(outcome.payload)
      : outcome;
  };
  const later = (name: string) =>
    void twin.lambda.invokeLater(`arn:aws:lambda:eu-central-1:123456789012:function:${name}`, "{}");
  const environmentsOf = (name: string) =>
    twin.lambda.environments.filter((one) => one.function === name);

  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const configs = ["never", "crashing", "throwing", "reserved", "mute"].map((name) => [
      `${name}Config`,
      asynchronously(name),
    ]);
    twin = await startAccount({
      functions,
      resources: { ...QUEUE, ...Object.fromEntries(configs) },
    });
  });
  afterAll(() => twin.stop());

  it("runs on the Node.js of Lambda, with what the template and Lambda set in its environment, and nothing else", async () => {
    vi.stubEnv("MY_SECRET", "of the developer");
    const { environment, canSend } = await invoke("telling");
    expect(environment).toMatchObject({
      COLOUR: "green",
      AWS_LAMBDA_FUNCTION_NAME: "telling",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
      AWS_REGION: "eu-central-1",
      AWS_ENDPOINT_URL_DYNAMODB: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect(
      Object.keys(environment)
        .filter((name) => !/^(AWS|LAMBDA)_/.test(name))
        .sort(),
    ).toEqual(["COLOUR", "HOME", "LANG", "PATH", "TZ", "_HANDLER"]);
    expect(canSend).toBe("undefined");
  });

  it("is told of its call as Lambda tells it", async () => {
    const { event, context, leftMs } = await invoke("telling", { a: 1 });
    expect(event).toEqual({ a: 1 });
    expect(context).toMatchObject({
      functionName: "telling",
      functionVersion: "$LATEST",
      memoryLimitInMB: "256",
      invokedFunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:telling",
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(7_000);
  });

  it("is frozen between two calls, and goes on in the same process", async () => {
    const before = await invoke("telling");
    const state = () =>
      readFile(`/proc/${before.pid}/stat`, "utf8").then((stat) => stat.split(" ")[2]);
    await eventually(async () => expect(await state()).toBe("T"));
    const after = await invoke("telling");
    expect(after).toMatchObject({ pid: before.pid, calls: before.calls + 1 });
  });

  it("serves one call at a time in a process: calls at once have one each", async () => {
    const folder = await newFolder();
    const pids = await Promise.all([1, 2, 3].map(() => invoke("meeting", { folder, count: 3 })));
    expect(new Set(pids).size).toBe(3);
    expect(environmentsOf("meeting")).toHaveLength(3);
  });

  it("has no more processes than a laptop bears: calls beyond wait for one", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => invoke("telling")));
    const pids = answers.map(({ pid }) => pid);
    expect(pids).toEqual(pids.map(() => expect.any(Number)));
    expect(new Set(pids).size).toBeLessThanOrEqual(10);
    expect(environmentsOf("telling").length).toBeLessThanOrEqual(10);
  });

  it("is killed at the time-out of the template", async () => {
    expect(await invoke("never")).toEqual({
      error: { errorType: "Sandbox.Timedout", errorMessage: "Task timed out after 1.00 seconds" },
    });
    await eventually(() => expect(environmentsOf("never")).toEqual([]));
  });

  it.each([
    ["crashing", "Runtime.ExitError", "Runtime exited with error: exit status 3"],
    ["throwing", "TypeError", "no such thing"],
    ["broken", "Runtime.ImportModuleError", expect.stringContaining("broken as it is loaded")],
    ["unfit", "Runtime.ImportModuleError", "index.handler is undefined or not exported"],
    ["large", "Function.ResponseSizeTooLarge", expect.stringContaining("6291556 bytes")],
  ])("that is %s has failed with %s", async (name, errorType, errorMessage) => {
    expect(await invoke(name)).toMatchObject({ error: { errorType, errorMessage } });
  });

  it("that was killed is run in a new process", async () => {
    const { pid } = await invoke("telling");
    for (const one of environmentsOf("telling")) process.kill(one.pid, "SIGKILL");
    await eventually(async () => {
      const after = await invoke("telling");
      expect(after.pid).toBeGreaterThan(0);
      expect(after.pid).not.toBe(pid);
    });
  });

  it("that is killed just before a call fails no more than that call", async () => {
    for (const one of environmentsOf("telling")) process.kill(one.pid, "SIGKILL");
    await eventually(async () => expect((await invoke("telling")).pid).toBeGreaterThan(0));
    await eventually(() => expect(environmentsOf("telling")).toHaveLength(1));
    for (let round = 0; round < 25; round++) {
      expect((await invoke("telling")).pid).toBeGreaterThan(0);
      for (const one of environmentsOf("telling")) process.kill(one.pid, "SIGKILL");
      const outcome = await invoke("telling");
      if ("error" in outcome) expect(outcome.error.errorType).toBe("Runtime.ExitError");
    }
    expect((await invoke("telling")).pid).toBeGreaterThan(0);
  });

  it("with reserved concurrency is throttled beyond it", async () => {
    const folder = await newFolder();
    const first = invoke("reserved", { folder, count: 2 });
    await eventually(() => expect(environmentsOf("reserved")).toMatchObject([{ busy: true }]));
    expect(await invoke("reserved", { folder, count: 1 })).toBe("throttled");
    await writeFile(join(folder, "second"), "");
    expect(await first).toBe(environmentsOf("reserved")[0]?.pid);
  });

  it("takes no event above 6 MB", async () => {
    expect(await invoke("telling", "x".repeat(7_000_000))).toBe("too large");
  });

  it.each([
    ["crashing", "Runtime.ExitError"],
    ["throwing", "TypeError"],
    ["never", "Sandbox.Timedout"],
  ])(
    "that is %s leaves its event in the dead-letter queue, as often tried as the template says",
    async (name, errorType) => {
      later(name);
      const sent = () =>
        twin.queues.messages.find(({ body }) => JSON.stringify(body).includes(errorType));
      await eventually(() => expect(sent()).toBeDefined());
      expect(sent()?.queueArn).toMatch(/^arn:aws:sqs:eu-central-1:123456789012:.*Failed/);
      expect(sent()?.body).toMatchObject({
        requestContext: {
          condition: "RetriesExhausted",
          approximateInvokeCount: 1,
          functionArn: `arn:aws:lambda:eu-central-1:123456789012:function:${name}`,
        },
        requestPayload: {},
        responsePayload: { errorType },
      });
    },
  );

  it("whose role may not send to the queue leaves nothing there", async () => {
    later("mute");
    await eventually(() =>
      expect(console.error).toHaveBeenCalledWith(expect.stringContaining("may not send to")),
    );
    expect(JSON.stringify(twin.queues.messages)).not.toContain("function:mute");
  });
});
