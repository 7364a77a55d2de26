import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { expect } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { PROBE_SPACE } from "../../src/kernel/values/probe.ts";
import { probe } from "../../src/maintenance/probe.ts";
import { dataIn } from "../../twin/metrics/data.ts";
import type { Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { nodeEvent } from "../node-objects.ts";
import { assigned, requestOf } from "../world.ts";
import {
  countedBefore,
  logsOf,
  restoredTable,
  runSchedules,
  unreadableSettings,
} from "./situations.ts";

/** The situations in which the tests follow the chapters of the runbook. */

const HOUR_MS = 3_600_000;
/** The pool of every space. */
export const POOL = "default-ipv4";
/** The addresses of the pool of the probe. */
const PROBE_ADDRESSES = 16;
/** Longer than half of what the alarm accepts for an assign, which is two writes or more. */
const SLOW_MS = 600;

/** The end of a command: its exit code, and what it wrote. */
export interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A space of an environment in which the alarm of a chapter is raised. */
export interface Scene {
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

/** The situation of a chapter. */
interface Situation {
  /** Makes it. */
  readonly ill: (scene: Scene) => Promise<void>;
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

/** The events that wait in the queue. */
const waiting: Promise<void>[] = [];

/** The handle of the address that a situation assigns. */
const handleIn = (space: string) => `more-in-${space}`;
const assignOver = ({ space, call }: Scene) =>
  call("POST", "/v1/assign", { host: "node-1", ipv4: 1, handle: handleIn(space), pools: [POOL] });

async function writesWork(scene: Scene): Promise<void> {
  scene.twin.tableFaults.writes = undefined;
  scene.twin.tableFaults.delayMs = 0;
  expect(await assignOver(scene)).toMatchObject({ status: 200 });
}

async function reclaimed({ twin, plat }: Scene): Promise<void> {
  await runSchedules(twin, "reclaim");
  expect((await plat("plat alarm get")).out).not.toContain("NoHeartbeatOfReclaim");
}

const isTold = (twin: Twin, handle: string) =>
  eventually(() => expect(JSON.stringify(twin.services.events)).toContain(handle));

const unpublished: Situation = {
  async ill(scene) {
    const { services } = scene.twin;
    const before = services.rejections;
    services.isBusDown = true;
    await assignOver(scene);
    await eventually(() => expect(services.rejections).toBeGreaterThan(before));
    expect(JSON.stringify(services.events)).not.toContain(handleIn(scene.space));
  },
  says: { "plat check": HOLDS },
  async ends({ twin, space }) {
    twin.services.isBusDown = false;
    await isTold(twin, handleIn(space));
  },
};

/** Returns a context of an hour later, in which the pool of the probe serves and nothing cools. */
const later = ({ context }: Twin) => ({ ...context, now: () => Date.now() + HOUR_MS });

const nameOf = ({ deployment }: Twin, run: string): string =>
  deployment.functions.find(({ name }) => name.includes(`-${run}Function`))?.name ?? expect.fail();

/** The situation of each chapter, in the order of the page. */
export const SITUATIONS: Readonly<Record<string, Situation>> = {
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
  LateEvents: {
    async ill({ twin, space, call }) {
      const [{ queueArn } = expect.fail()] = twin.deployment.eventSources;
      twin.eventSources.isOff = true;
      const body = JSON.stringify(nodeEvent("ADDED", "late"));
      waiting.push(twin.eventSources.send(queueArn, [{ body, attributes: { space } }]));
      expect(await call("GET", "/v1/nodes/late")).toMatchObject({ status: 404 });
    },
    says: { "plat show": /10\.0\.0\.0\/28/ },
    async ends({ twin, call }) {
      twin.eventSources.isOff = false;
      await Promise.all(waiting);
      expect(await call("GET", "/v1/nodes/late")).toMatchObject({ status: 200 });
    },
  },
  ServerErrors: {
    async ill(scene) {
      scene.twin.tableFaults.writes = "failing";
      expect(await assignOver(scene)).toMatchObject({ status: 503, body: { code: "unavailable" } });
    },
    says: { "plat show": /10\.0\.0\.0\/28/, "plat check": HOLDS },
    ends: writesWork,
  },
  TooManyRequests: {
    async ill({ call }) {
      await call("PUT", "/v1/quotas/few", { requestsPerSecond: 1 });
      await eventually(async () => {
        const body = { host: "node-1", ipv4: 1, handle: "web-1" };
        const answers = await Promise.all([1, 2, 3].map(() => call("POST", "/v1/assign", body)));
        expect(answers).toContainEqual(
          expect.objectContaining({
            status: 429,
            body: expect.objectContaining({ code: "rate_limited" }),
          }),
        );
      });
    },
    says: { "plat quota get": /few/ },
  },
  SlowAssigns: {
    async ill(scene) {
      scene.twin.tableFaults.delayMs = SLOW_MS;
      expect(await assignOver(scene)).toMatchObject({ status: 200 });
      await eventually(async () =>
        expect(
          dataIn(await logsOf(scene.twin)).filter(
            ({ name, dimensions, value }) =>
              name === "Latency" &&
              dimensions.operation === "POST /v1/assign" &&
              dimensions.status === "2xx" &&
              value >= 2 * SLOW_MS,
          ),
        ).not.toEqual([]),
      );
    },
    says: { "plat show --show-blocks": BLOCK },
    ends: writesWork,
  },
  Throttles: {
    async ill(scene) {
      scene.twin.lambda.throttled.add(nameOf(scene.twin, "assign"));
      expect(await assignOver(scene)).toMatchObject({ status: 503 });
    },
    says: { "plat alarm get": NO_ALARM },
    async ends(scene) {
      scene.twin.lambda.throttled.clear();
      expect(await assignOver(scene)).toMatchObject({ status: 200 });
    },
  },
  // As if no scheduled run had found an execution for hours.
  AccountConcurrency: {
    ill: ({ twin, space }) => countedBefore(twin, space, 2 * HOUR_MS),
    says: { "plat alarm get": /NoHeartbeatOfReclaim/ },
    ends: reclaimed,
  },
  TableThrottles: {
    async ill(scene) {
      scene.twin.tableFaults.writes = "throttled";
      expect(await assignOver(scene)).toMatchObject({ status: 429, body: { code: "throttled" } });
    },
    says: { "plat affinity get": BLOCK_OF_HOST },
    ends: writesWork,
  },
  RunFailures: {
    async ill(scene) {
      await unreadable.ill(scene);
      await runSchedules(scene.twin, "reclaim");
      await eventually(async () => expect(await logsOf(scene.twin)).toMatch(/"failed":[1-9]/));
    },
    exits: { "plat check": FOUND },
    ends: unreadable.ends,
  },
  NoHeartbeat: {
    ill: ({ twin, space }) => countedBefore(twin, space, 2 * HOUR_MS),
    says: { "plat alarm get": /NoHeartbeatOfReclaim/, "plat check": HOLDS },
    ends: reclaimed,
  },
  NoHeartbeatOfProbe: {
    async ill({ twin }) {
      await assigned(twin.context, {
        ...requestOf("full", PROBE_ADDRESSES),
        space: PROBE_SPACE,
        pools: ["probe"],
      });
      await expect(probe(later(twin))).rejects.toThrow("pool_exhausted");
    },
    says: {
      "plat show --space plat-probe": /192\.0\.2\.0\/28/,
      "plat check --space plat-probe": HOLDS,
    },
    async ends({ twin }) {
      await releaseHandle(twin.context, PROBE_SPACE, "full");
      expect(await probe(later(twin))).toEqual({ isPrepared: false, failures: [] });
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
  StreamLag: unpublished,
  NoHeartbeatOfPublish: {
    async ill(scene) {
      scene.twin.streams.isOff = true;
      await assignOver(scene);
    },
    says: { "plat alarm get": NO_ALARM, "plat check": HOLDS },
    async ends({ twin, space }) {
      expect(JSON.stringify(twin.services.events)).not.toContain(handleIn(space));
      twin.streams.isOff = false;
      await isTold(twin, handleIn(space));
    },
  },
  // The function fails as a whole with each batch.
  PublishErrors: unpublished,
  DeadChanges: {
    async ill({ twin }) {
      await twin.database.send(
        new PutItemCommand({
          TableName: twin.deployment.table.name,
          Item: { pk: { S: "SPACE#elsewhere" }, sk: { S: "POOL#broken" }, f: { N: "99" } },
        }),
      );
      await eventually(() =>
        expect(twin.queues.messages.map(({ body }) => body)).toContainEqual(
          expect.objectContaining({ key: { pk: "SPACE#elsewhere", sk: "POOL#broken" } }),
        ),
      );
    },
    says: { "plat export csv": /10\.0\.0\.\d+,.*web-0/ },
  },
  UnreadableItem: { ...unreadable, says: { "plat check": /999/ }, exits: { "plat check": FOUND } },
  TableFrozen: {
    async ill({ twin, call }) {
      await restoredTable(twin);
      await eventually(async () =>
        expect(await call("POST", "/v1/release", { handle: "web-0" })).toMatchObject({
          status: 503,
          body: { code: "table_frozen" },
        }),
      );
    },
    says: { "plat show": /10\.0\.0\.0\/28/ },
  },
};
