import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { SHARDS } from "../../src/base/limits.ts";
import {
  type AlarmState,
  alarmsOf,
  type DeployedAlarm,
  stateOf,
} from "../../twin/metrics/alarms.ts";
import type { Datum } from "../../twin/metrics/data.ts";
import type { Stack } from "../../twin/names.ts";
import { type Chosen, PRIVATE_API_ONLY, stageOf } from "./choices.ts";

const pageOf = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
const CHAPTERS = [...pageOf("runbook.md").matchAll(/^## (.*)$/gm)].map(
  ([, chapter = ""]) => chapter,
);

/** The choices on which alarms depend: the environment, the kind of the API, the probe with its own alarm, and warnings. */
const DEPLOYED: readonly Chosen[] = [
  { name: "prod", environment: "prod", settings: { probe: true, alarms: "all" } },
  { name: "dev", environment: "dev", settings: { alarms: "all" } },
  {
    name: "a private REST API",
    environment: "prod",
    settings: { api: PRIVATE_API_ONLY, alarms: "all" },
  },
];

/** Returns the alarms of a deployment, by their ids. */
function alarmsIn(chosen: Chosen): ReadonlyMap<string, DeployedAlarm> {
  const stage = stageOf(chosen);
  const stacks = (["stateful", "trail", "stateless"] as const).map((name): Stack => {
    const { stackName } = stage[name] ?? expect.fail(name);
    const template = Template.fromStack(stage[name] ?? expect.fail(name)).toJSON();
    return {
      name: stackName,
      account: "123456789012",
      region: "eu-central-1",
      resources: template.Resources,
      outputs: template.Outputs ?? {},
    };
  });
  const prefix = `${stage.stateless.stackName}-`;
  return new Map(alarmsOf(stacks).map((alarm) => [alarm.name.replace(prefix, ""), alarm]));
}

/** The values of one period, by the ids of an alarm's metrics; none where there is no data. */
type Period = Readonly<Record<string, readonly number[]>>;

/** Returns the state of an alarm after these periods, the last one the newest. */
function stateAfter(of: DeployedAlarm, periods: readonly Period[]): AlarmState {
  const periodMs = of.periodSeconds * 1_000;
  const nowMs = 1_000 * periodMs;
  const data = periods.flatMap((values, n): Datum[] => {
    const atMs = nowMs - (periods.length - n) * periodMs;
    return Object.entries(values).flatMap(([id, each]) =>
      each.map((value) => ({ ...(of.metrics[id] ?? expect.fail(id)), atMs, value })),
    );
  });
  return stateOf(of, data, nowMs);
}

const times = (count: number, period: Period) => Array.from({ length: count }, () => period);
const alone = (value: number): Period => ({ alone: [value] });
const share = (part: number | undefined, requests: number): Period => ({
  ...(part !== undefined && { part: [part] }),
  requests: [requests],
});
const NOTHING: Period = {};

/** For each alarm a period in which all is well, and one that it is raised for. */
const DRIVEN: Readonly<Record<string, { readonly well: Period; readonly ill: Period }>> = {
  DeadLetters: { well: alone(0), ill: alone(1) },
  DeadEvents: { well: alone(0), ill: alone(1) },
  LateEvents: { well: alone(59), ill: alone(600) },
  ServerErrors: { well: alone(4), ill: alone(5) },
  ServerErrorShare: { well: share(99, 10_000), ill: share(100, 10_000) },
  TooManyRequests: { well: share(4, 100), ill: share(5, 100) },
  SlowAssigns: { well: { alone: [20, 30, 999] }, ill: { alone: [20, 30, 1_000] } },
  Throttles: { well: NOTHING, ill: alone(1) },
  AccountConcurrency: { well: alone(799), ill: alone(800) },
  TableThrottles: { well: NOTHING, ill: { reads: [1] } },
  RunFailures: { well: NOTHING, ill: alone(1) },
  NoHeartbeatOfReclaim: { well: { alone: beats(SHARDS) }, ill: { alone: beats(SHARDS - 1) } },
  NoHeartbeatOfRepair: { well: { alone: beats(SHARDS) }, ill: { alone: beats(SHARDS - 1) } },
  NoHeartbeatOfWork: { well: { alone: beats(1) }, ill: NOTHING },
  NoHeartbeatOfProbe: { well: alone(1), ill: NOTHING },
  LateRepair: { well: alone(60), ill: alone(900) },
  PoolAbove80: { well: alone(79.9), ill: alone(80) },
  PoolAbove95: { well: alone(94.9), ill: alone(95) },
  PoolExhaustsSoon: { well: NOTHING, ill: alone(24) },
  TableFrozen: { well: NOTHING, ill: alone(1) },
  StreamLag: { well: alone(299_999), ill: alone(300_000) },
  NoHeartbeatOfPublish: { well: alone(1), ill: NOTHING },
  PublishErrors: { well: NOTHING, ill: alone(1) },
  DeadChanges: { well: alone(0), ill: alone(1) },
  UnreadableItem: { well: NOTHING, ill: alone(1) },
};

/** Returns the heartbeats of this many shards in 15 minutes. */
function beats(shards: number): readonly number[] {
  return Array.from({ length: shards * 15 }, () => 1);
}

const ALARMS = DEPLOYED.map((chosen) => ({ ...chosen, alarms: alarmsIn(chosen) }));

describe.each(ALARMS)("$name", ({ alarms, settings }) => {
  const alarm = (id: string) => alarms.get(id) ?? expect.fail(id);
  const driven = Object.entries(DRIVEN).filter(
    ([id]) => id !== "NoHeartbeatOfProbe" || settings.probe,
  );

  it("has each alarm driven", () => {
    expect([...alarms.keys()].sort()).toEqual(driven.map(([id]) => id).sort());
  });

  describe.each(driven)("%s", (id, { well, ill }) => {
    const of = alarm(id);

    it("is raised when its metric is over the threshold for as long as it says, and not before", () => {
      const rest = times(of.periods - of.datapoints, well);
      expect(stateAfter(of, [...times(of.periods, well)])).toBe("OK");
      expect(stateAfter(of, [...rest, well, ...times(of.datapoints - 1, ill)])).toBe("OK");
      expect(stateAfter(of, [...rest, ...times(of.datapoints, ill)])).toBe("ALARM");
    });

    it("ends when its metric is back", () => {
      expect(stateAfter(of, [...times(of.datapoints, ill), ...times(of.periods, well)])).toBe("OK");
    });

    it("says what happened, and names a chapter of the runbook", () => {
      const [, chapter = ""] = /^.+\. See docs\/runbook\.md#(\w+)\.$/.exec(of.description) ?? [];
      expect(CHAPTERS.map((each) => each.toLowerCase())).toContain(chapter);
    });
  });

  it("raises no alarm about shares of few requests", () => {
    for (const id of ["ServerErrorShare", "TooManyRequests"])
      expect(stateAfter(alarm(id), times(3, share(99, 99)))).toBe("OK");
  });

  it("takes requests of which no answer is 429 for a share of zero", () => {
    expect(stateAfter(alarm("TooManyRequests"), times(3, share(undefined, 1_000)))).toBe("OK");
  });

  it("adds throttled reads and writes of the table", () => {
    const of = alarm("TableThrottles");
    expect(stateAfter(of, times(3, { writes: [1] }))).toBe("ALARM");
  });

  it("keeps the alarm of a pool that was not sampled for a while", () => {
    const of = alarm("PoolAbove80");
    expect(stateOf(of, [], 0, "ALARM")).toBe("ALARM");
  });
});

const WARNINGS = [
  "AccountConcurrency",
  "LateEvents",
  "ServerErrorShare",
  "SlowAssigns",
  "TableThrottles",
  "TooManyRequests",
];

it.each(["dev", "prod"] as const)(
  "%s has all alarms but the warnings unless it asks for them, and pays for 18 metrics of alarms",
  (environment) => {
    const alarms = alarmsIn({ name: "", environment, settings: {} });
    const all = Object.keys(DRIVEN).filter((id) => id !== "NoHeartbeatOfProbe");
    expect([...alarms.keys()].sort()).toEqual(all.filter((id) => !WARNINGS.includes(id)).sort());
    const metrics = [...alarms.values()].flatMap((alarm) => Object.keys(alarm.metrics));
    expect(metrics).toHaveLength(18);
  },
);

it("the runbook has no chapter without an alarm", () => {
  const named = ALARMS.flatMap(({ alarms }) => [...alarms.values()]).map(
    ({ description }) => /#(\w+)\.$/.exec(description)?.[1],
  );
  expect(CHAPTERS.filter((chapter) => !named.includes(chapter.toLowerCase()))).toEqual([]);
});

it("the page on observability lists each alarm", () => {
  const list = pageOf("observability.md").split("## Alarms")[1] ?? "";
  const listed = [...list.matchAll(/`(\w+)`(?=[^|]*\]\(runbook)/g)].map(([, id]) => id);
  expect(listed.sort()).toEqual(Object.keys(DRIVEN).sort());
});
