import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { assign } from "../../src/allocator/assign/assign.ts";
import { probe } from "../../src/allocator/maintenance/probe.ts";
import { run } from "../../src/cli/program.ts";
import { pathIn } from "../../src/contract/routes/space-path.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { startTwinOf, type Twin } from "../../twin/twin.ts";
import { requestOf } from "../world.ts";
import {
  countedBefore,
  logsOf,
  restoredTable,
  runSchedules,
  unreadableSettings,
} from "./situations.ts";

const RUNBOOK = readFileSync(
  fileURLToPath(new URL("../../docs/runbook.md", import.meta.url)),
  "utf8",
);
const HOUR_MS = 3_600_000;
/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;
/** The bundles and the templates are made first. */
const START_MS_MAX = 240_000;
const CHAPTER_MS_MAX = 120_000;
const PUBLISHED_MS_MAX = 60_000;
const POOL = "default-ipv4";

/** The chapters of the runbook, each with its commands in their order. */
const CHAPTERS = RUNBOOK.split(/^## /m)
  .slice(1)
  .map((chapter) => {
    const [title = ""] = chapter.split("\n");
    const blocks = [...chapter.matchAll(/^```\n(.*?)^```/gms)];
    return { title, commands: blocks.flatMap(([, block = ""]) => block.trim().split("\n")) };
  });

interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A space of an environment in which the alarm of a chapter is raised. */
interface Scene {
  readonly twin: Twin;
  readonly space: string;
  /** Calls the API in the space. */
  call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: { readonly code?: string } }>;
  plat(command: string): Promise<Ended>;
}

/** The situation of a chapter, as far as it can be made on the twin. */
interface Situation {
  /** Makes it. */
  readonly ill?: (scene: Scene) => Promise<void>;
  /** What commands of the chapter say about it. */
  readonly says?: Readonly<Record<string, RegExp>>;
  /** The exit codes of commands that are not 0. */
  readonly exits?: Readonly<Record<string, number>>;
  /** Does what the chapter says that ends it, and looks whether it has ended. */
  readonly ends?: (scene: Scene) => Promise<void>;
}

const HOLDS = /Every invariant holds/;
const NO_ALARM = /^ALARM\s+POOL\s+DETAIL\n$/;
/** The exit code of a check that found a problem. */
const FOUND = 4;

const BLOCK = /block\s+default-ipv4\s+10\.0\.0\.0\/28/;
const BLOCK_OF_HOST = /10\.0\.0\.0\/28.*node-1|node-1.*10\.0\.0\.0\/28/;

/** Deletes what makes the settings of a space unreadable, by its space. */
const deletions = new Map<string, () => Promise<void>>();
const unreadable = {
  async ill({ twin, space }: Scene) {
    deletions.set(space, await unreadableSettings(twin, space));
  },
  async ends({ space, plat }: Scene) {
    await deletions.get(space)?.();
    expect((await plat("plat check")).out).toMatch(HOLDS);
  },
};

const SITUATIONS: Readonly<Record<string, Situation>> = {
  DeadLetters: {
    async ill({ twin, plat }) {
      const reclaim = twin.deployment.schedules.find(({ name }) => name.includes("reclaim"));
      await twin.lambda.invokeLater(reclaim?.functionArn ?? expect.fail(), '{"shard": "none"}');
      expect(JSON.stringify(twin.queues.messages)).toContain("reclaim");
      expect(await plat(`plat pool drain ${POOL} --yes`)).toMatchObject({ exit: 0 });
    },
    says: { "plat check": HOLDS, "plat job get": /pool\.drain/ },
  },
  DeadEvents: {
    async ill({ twin }) {
      const [queue = expect.fail()] = twin.deployment.eventSources;
      await twin.eventSources.send(queue.queueArn, [{ body: "no event" }]);
      expect(twin.queues.messages.map(({ body }) => JSON.stringify(body))).toContainEqual(
        expect.stringContaining("no event"),
      );
    },
    says: { "plat node get": /node-1/ },
  },
  LateEvents: { says: { "plat show": /10\.0\.0\.0\/28/ } },
  ServerErrors: { says: { "plat show": /10\.0\.0\.0\/28/, "plat check": HOLDS } },
  TooManyRequests: {
    async ill({ call }) {
      await call("PUT", "/v1/quotas/few", { requestsPerSecond: 1 });
      await vi.waitFor(async () => {
        const body = { host: "node-1", ipv4: 1, handle: "web-1" };
        const answers = await Promise.all([1, 2, 3].map(() => call("POST", "/v1/assign", body)));
        expect(answers).toContainEqual(
          expect.objectContaining({
            status: 429,
            body: expect.objectContaining({ code: "rate_limited" }),
          }),
        );
      }, PUBLISHED_MS_MAX);
    },
    says: { "plat quota get": /few/ },
  },
  SlowAssigns: { says: { "plat show --show-blocks": BLOCK } },
  Throttles: { says: { "plat alarm get": NO_ALARM } },
  AccountConcurrency: { says: { "plat alarm get": NO_ALARM } },
  TableThrottles: { says: { "plat affinity get": BLOCK_OF_HOST } },
  RunFailures: {
    async ill(scene) {
      await unreadable.ill(scene);
      await runSchedules(scene.twin, "reclaim");
      await vi.waitFor(async () => expect(await logsOf(scene.twin)).toMatch(/"failed":[1-9]/));
    },
    exits: { "plat check": FOUND },
    ends: unreadable.ends,
  },
  NoHeartbeat: {
    ill: ({ twin, space }) => countedBefore(twin, space, 2 * HOUR_MS),
    says: { "plat alarm get": /NoHeartbeatOfReclaim/, "plat check": HOLDS },
    async ends({ twin, plat }) {
      await runSchedules(twin, "reclaim");
      expect((await plat("plat alarm get")).out).not.toContain("NoHeartbeatOfReclaim");
    },
  },
  NoHeartbeatOfProbe: {
    says: {
      "plat show --space plat-probe": /192\.0\.2\.0\/28/,
      "plat check --space plat-probe": HOLDS,
    },
  },
  LateRepair: {
    async ill({ twin, space }) {
      const earlier = { ...twin.context, now: () => Date.now() - HOUR_MS };
      const request = { ...requestOf("late", 1), space, pools: [POOL], leaseSeconds: 60 };
      expect(await assign(earlier, request)).toMatchObject({ addresses: [{ pool: POOL }] });
    },
    says: { "plat alarm get": /LateRepair/, "plat node get": /node-1/, "plat check": HOLDS },
    async ends({ twin, plat }) {
      await runSchedules(twin, "repair");
      expect((await plat("plat alarm get")).out).not.toContain("LateRepair");
    },
  },
  PoolAbove80: {
    async ill({ twin, space, call }) {
      await countedBefore(twin, space, 2 * HOUR_MS);
      const body = { host: "node-1", ipv4: 12, handle: "many", pools: [POOL] };
      expect(await call("POST", "/v1/assign", body)).toMatchObject({ status: 200 });
      await runSchedules(twin, "reclaim");
    },
    says: {
      "plat alarm get": /PoolAbove80[\s\S]*PoolExhaustsSoon/,
      "plat show": /10\.0\.0\.0\/28/,
      [`plat pool history ${POOL}`]: /\b13\b/,
      [`plat affinity get --pool ${POOL}`]: BLOCK_OF_HOST,
      "plat show --show-blocks": BLOCK,
    },
  },
  StreamLag: {
    async ill({ twin, call }) {
      twin.published.isBusDown = true;
      await call("POST", "/v1/assign", {
        host: "node-1",
        ipv4: 1,
        handle: "unpublished",
        pools: [POOL],
      });
      await vi.waitFor(
        () => expect(twin.published.rejections).toBeGreaterThan(0),
        PUBLISHED_MS_MAX,
      );
      expect(JSON.stringify(twin.published.events)).not.toContain("unpublished");
    },
    says: { "plat check": HOLDS },
    async ends({ twin }) {
      twin.published.isBusDown = false;
      await vi.waitFor(
        () => expect(JSON.stringify(twin.published.events)).toContain("unpublished"),
        PUBLISHED_MS_MAX,
      );
    },
  },
  PublishErrors: { says: { "plat check": HOLDS } },
  DeadChanges: {
    async ill({ twin }) {
      await twin.database.send(
        new PutItemCommand({
          TableName: twin.deployment.table.name,
          Item: { pk: { S: "SPACE#elsewhere" }, sk: { S: "POOL#broken" }, f: { N: "99" } },
        }),
      );
      await vi.waitFor(
        () =>
          expect(twin.queues.messages.map(({ body }) => body)).toContainEqual(
            expect.objectContaining({ key: { pk: "SPACE#elsewhere", sk: "POOL#broken" } }),
          ),
        PUBLISHED_MS_MAX,
      );
    },
    says: { "plat export csv": /10\.0\.0\.\d+,.*web-0/ },
  },
  UnreadableItem: { ...unreadable, says: { "plat check": /999/ }, exits: { "plat check": FOUND } },
  TableFrozen: {
    async ill({ twin, call }) {
      await restoredTable(twin);
      await vi.waitFor(
        async () =>
          expect(await call("POST", "/v1/release", { handle: "web-0" })).toMatchObject({
            status: 503,
            body: { code: "table_frozen" },
          }),
        CHAPTER_MS_MAX,
      );
    },
    says: { "plat show": /10\.0\.0\.0\/28/ },
  },
};

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
  }, START_MS_MAX);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await twin?.stop();
  });

  // In the order of the page, because the last chapter freezes the table.
  it.each(CHAPTERS)(
    "$title can be followed",
    async ({ title, commands }) => {
      const scene = await sceneOf(twin, title.toLowerCase());
      const { ill, says = {}, exits = {}, ends } = SITUATIONS[title] ?? {};
      await ill?.(scene);
      for (const command of commands) {
        const { exit, out, err } = await scene.plat(command);
        expect(out, err).toMatch(says[command] ?? /./);
        expect(exit, err).toBe(exits[command] ?? 0);
      }
      await ends?.(scene);
    },
    CHAPTER_MS_MAX,
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
    stdin: async () => "",
    nowMs: Date.now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    ask: undefined,
    onInterrupt: () => () => {},
  });
  return { exit, ...said };
}
