import { afterAll, beforeAll, expect, it } from "vitest";
import { makeClient } from "../../src/local/client.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { signing } from "../../twin/signing.ts";
import { eventually } from "../eventually.ts";
import { functionsOf, type Started, start } from "../local/process.ts";
import { HANGS_MS } from "../patience.ts";

let twin: Started;

beforeAll(async () => {
  if (emulatorBinary()) twin = await start(["--deployed", "prod", "--port", "0"]);
}, HANGS_MS);
afterAll(() => void twin?.process.kill("SIGKILL"));

it.runIf(emulatorBinary())(
  "no process of a function outlives kill -9 of the twin, frozen as it is",
  async () => {
    const client = makeClient(twin.url, 1, signing(OPERATOR_KEYS, "eu-central-1"));
    expect((await client.call("GET", "/healthz")).status).toBe(200);
    client.close();
    const functions = await functionsOf(twin.process.pid as number);
    expect(functions).toHaveLength(1);
    twin.process.kill("SIGKILL");
    await twin.ended;
    await eventually(() => {
      for (const pid of functions) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    });
  },
);
