import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { startTwin, synthesised, type Twin } from "../../twin/twin.ts";
import { HANGS_MS } from "../patience.ts";
import { call } from "./account.ts";

describe.runIf(emulatorBinary())(
  "the twin of dev with a key of its own and canary deployments",
  () => {
    let data: string;
    let twin: Twin;

    beforeAll(async () => {
      data = await mkdtemp(join(tmpdir(), "plat-"));
      const settings = { customerManagedKey: true, rollout: "canary" };
      const { deployment, assets } = await synthesised("dev", settings);
      twin = await startTwin(deployment, assets, { port: 0, data });
    }, HANGS_MS);
    afterAll(async () => {
      await twin?.stop();
      await rm(data, { recursive: true });
    });

    it("serves requests through the aliases, with the rights of the templates", async () => {
      const [operator] = twin.callers;
      if (!operator) throw new Error("the twin has no operator");
      const sent = async (method: string, path: string, body?: object) =>
        (await call(twin, operator, method, path, body && JSON.stringify(body))).status;
      expect(await sent("PUT", "/v1/pools/a", { cidr: "10.0.0.0/24" })).toBe(201);
      expect(await sent("POST", "/v1/assign", { host: "n1", ipv4: 1, handle: "h" })).toBe(200);
      expect(await sent("DELETE", "/v1/handles/h")).toBe(200);
    });
  },
);
