import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import type { Emulator } from "../../src/local/emulator.ts";
import { templates } from "../cdk/templates.ts";
import { startMoto } from "../table/moto.ts";
import { pythonProgram } from "./python.ts";

const LOAD = fileURLToPath(new URL("load.py", import.meta.url));

/** The types of resources that the services create: all in the templates that hold data or start something. */
const TYPES = [
  "AWS::DynamoDB::GlobalTable",
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Stage",
  "AWS::SQS::Queue",
  "AWS::SQS::QueuePolicy",
  "AWS::SNS::Topic",
  "AWS::SNS::TopicPolicy",
  "AWS::Scheduler::Schedule",
  "AWS::CloudWatch::Alarm",
  "AWS::S3::Bucket",
  "AWS::Events::EventBus",
];

/** Properties that answers do not repeat, because the request names the resource by them. Moto returns all others. */
const NOT_TOLD: Readonly<Record<string, readonly string[]>> = {
  "AWS::ApiGatewayV2::Api": ["FailOnWarnings"],
  "AWS::ApiGatewayV2::Stage": ["ApiId"],
  "AWS::SQS::QueuePolicy": ["Queues"],
  "AWS::SNS::TopicPolicy": ["Topics"],
};

interface Loaded {
  readonly id: string;
  readonly type: string;
  readonly wanted: Readonly<Record<string, unknown>>;
  readonly found: Readonly<Record<string, unknown>>;
}

describe.each(ENVIRONMENT_NAMES)("the resources of %s, made through the services' APIs", (name) => {
  const directory = mkdtempSync(join(tmpdir(), "plat-moto-"));
  let moto: Emulator | undefined;
  let loaded: readonly Loaded[] = [];

  beforeAll(async () => {
    moto = await startMoto(pythonProgram("moto_server"));
    const files = (["stateful", "trail", "stateless"] as const).map((stack) => {
      const file = join(directory, `${stack}.json`);
      writeFileSync(file, JSON.stringify(templates[name][stack].toJSON()));
      return file;
    });
    loaded = await load(moto.endpoint, files);
  });

  afterAll(async () => {
    await moto?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(TYPES)("%s is what the template says", (type) => {
    const ofType = loaded.filter((one) => one.type === type);
    expect(ofType.length).toBeGreaterThan(0);
    const untold = NOT_TOLD[type] ?? [];
    for (const { id, wanted, found } of ofType)
      for (const [property, value] of Object.entries(wanted))
        if (!untold.includes(property))
          expect(found[property], `${id}.${property}`).toEqual(containing(value));
  });

  it("are told again but for what is listed, and that is not told", () => {
    const missing = loaded.flatMap(({ type, wanted, found }) =>
      Object.keys(wanted)
        .filter((property) => found[property] === undefined)
        .map((property) => `${type} ${property}`),
    );
    const listed = Object.entries(NOT_TOLD).flatMap(([type, properties]) =>
      properties.map((property) => `${type} ${property}`),
    );
    expect([...new Set(missing)].sort()).toEqual(listed.sort());
  });
});

/** Returns a matcher for at least these values, because a service may return more, such as an ARN. */
function containing(wanted: unknown): unknown {
  if (Array.isArray(wanted)) return wanted.map(containing);
  if (typeof wanted !== "object" || wanted === null) return wanted;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(wanted).map(([key, value]) => [key, containing(value)])),
  );
}

async function load(endpoint: string, files: readonly string[]): Promise<readonly Loaded[]> {
  const child = spawn(pythonProgram("python"), [LOAD, endpoint, ...files], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [found, errors] = await Promise.all([
    json(child.stdout).catch(() => undefined),
    text(child.stderr),
  ]);
  if (found === undefined) throw new Error(errors);
  return found as readonly Loaded[];
}
