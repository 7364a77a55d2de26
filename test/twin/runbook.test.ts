import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { probe } from "../../src/allocator/maintenance/probe.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { startTwinOf, type Twin } from "../../twin/twin.ts";
import { call } from "./account.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const RUNBOOK = readFileSync(`${ROOT}docs/runbook.md`, "utf8");
/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;
/** The bundles and the templates are made first. */
const START_MS_MAX = 240_000;

/** The commands of each chapter, in their order; a command of more than one chapter once. */
const COMMANDS = RUNBOOK.split(/^## /m)
  .slice(1)
  .flatMap((chapter) => {
    const [title = ""] = chapter.split("\n");
    return [...chapter.matchAll(/^```\n(.*?)^```/gms)].flatMap(([, block = ""]) =>
      block
        .trim()
        .split("\n")
        .map((command) => [title, command] as const),
    );
  })
  .filter(([, command], n, all) => all.findIndex(([, other]) => other === command) === n);

describe.runIf(emulatorBinary())("the runbook on the twin of prod", () => {
  let twin: Twin;

  beforeAll(async () => {
    twin = await startTwinOf("prod", { port: 0, scheduleSeconds: NEVER_SECONDS });
    const [operator] = twin.callers;
    const send = (method: string, path: string, body: object) =>
      call(twin, operator ?? expect.fail(), method, path, JSON.stringify(body));
    const { status } = await send("PUT", "/v1/pools/default-ipv4", { cidr: "10.0.0.0/24" });
    expect(status).toBe(201);
    await probe(twin.context);
    await send("PUT", "/v1/nodes/node-1", { labels: {} });
    await send("POST", "/v1/assign", {
      host: "node-1",
      ipv4: 1,
      handle: "web-0",
      pools: ["default-ipv4"],
    });
  }, START_MS_MAX);
  afterAll(() => twin.stop());

  it.each(COMMANDS)("%s: %s", async (_, command) => {
    const [program, ...args] = command.split(" ");
    expect(program).toBe("plat");
    const { region } = twin.deployment;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", "src/cli/main.ts", ...args, "--region", region],
      {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH,
          PLAT_ENDPOINT: twin.url,
          AWS_ACCESS_KEY_ID: OPERATOR_KEYS.accessKeyId,
          AWS_SECRET_ACCESS_KEY: OPERATOR_KEYS.secretAccessKey,
        },
      },
    );
    expect(stdout).not.toContain("Error");
  });
});
