import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pathIn } from "../../src/api/route.ts";
import { run } from "../../src/cli/program.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { probe } from "../../src/maintenance/probe.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { startTwinOf, type Twin } from "../../twin/twin.ts";
import { HANGS_MS } from "../patience.ts";
import { type Ended, POOL, type Scene, SITUATIONS } from "./chapters.ts";
import { runSchedules } from "./situations.ts";

const RUNBOOK = readFileSync(
  fileURLToPath(new URL("../../docs/runbook.md", import.meta.url)),
  "utf8",
);
/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;

/** The chapters of the runbook, each with its commands in their order. */
const CHAPTERS = RUNBOOK.split(/^## /m)
  .slice(1)
  .map((chapter) => {
    const [title = ""] = chapter.split("\n");
    const blocks = [...chapter.matchAll(/^```\n(.*?)^```/gms)];
    return { title, commands: blocks.flatMap(([, block = ""]) => block.trim().split("\n")) };
  });

it("each chapter of the runbook has a command, and a situation to follow it in", () => {
  expect(CHAPTERS.map(({ title }) => title)).toEqual(Object.keys(SITUATIONS));
  for (const { title, commands } of CHAPTERS) {
    expect([title, commands]).not.toEqual([title, []]);
    for (const command of Object.keys(SITUATIONS[title]?.says ?? {}))
      expect(commands).toContain(command);
  }
});

describe.runIf(emulatorBinary())("the runbook on the twin of prod", () => {
  let twin: Twin;

  beforeAll(async () => {
    vi.spyOn(console, "error").mockReturnValue();
    vi.stubEnv("AWS_ACCESS_KEY_ID", OPERATOR_KEYS.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", OPERATOR_KEYS.secretAccessKey);
    twin = await startTwinOf("prod", { port: 0, scheduleSeconds: NEVER_SECONDS });
    // The register names the table, as after the first minute of an environment.
    await runSchedules(twin, "repair0");
    await probe(twin.context);
  }, HANGS_MS);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await twin?.stop();
  });

  // In the order of the page, because the last chapter freezes the table.
  it.each(CHAPTERS)(
    "$title can be followed",
    async ({ title, commands }) => {
      const scene = await sceneOf(twin, title.toLowerCase());
      const { ill, says = {}, exits = {}, ends } = SITUATIONS[title] ?? expect.fail(title);
      await ill(scene);
      for (const command of commands) {
        const { exit, out, err } = await scene.plat(command);
        expect(out, err).toMatch(says[command] ?? /./);
        expect(exit, err).toBe(exits[command] ?? 0);
      }
      await ends?.(scene);
    },
    HANGS_MS,
  );
});

/** Makes a space with a node, a pool of 16 addresses, and one of them assigned. */
async function sceneOf(twin: Twin, space: string): Promise<Scene> {
  const client = twin.clientOf(1);
  const call: Scene["call"] = (method, path, body) =>
    client.call(method, pathIn(space, path), body);
  expect(
    await call("PUT", `/v1/pools/${POOL}`, { cidr: "10.0.0.0/28", blockSize: 28 }),
  ).toMatchObject({
    status: 201,
  });
  await call("PUT", "/v1/nodes/node-1", { labels: {} });
  const body = { host: "node-1", ipv4: 1, handle: "web-0", pools: [POOL] };
  expect(await call("POST", "/v1/assign", body)).toMatchObject({ status: 200 });
  return { twin, space, call, plat: (command) => platOn(twin, space, command) };
}

/** Runs a command of an operator in a space. */
async function platOn(twin: Twin, space: string, command: string): Promise<Ended> {
  const [program, ...args] = command.split(" ");
  expect(program).toBe("plat");
  const said = { out: "", err: "" };
  const exit = await run([...args, "--region", twin.deployment.region], {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    progress: () => ({ update: () => {}, done: () => {} }),
    terminal: { columns: undefined, outHasColors: false, errHasColors: false },
    env: {
      PLAT_ENDPOINT: twin.url,
      PLAT_SPACE: space,
    },
    stdin: () => Readable.from([]),
    nowMs: Date.now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    ask: undefined,
    onInterrupt: () => () => {},
    outlastReader: () => {},
  });
  return { exit, ...said };
}
