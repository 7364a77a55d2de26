import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import { stageOf } from "./choices.ts";
import { templates } from "./templates.ts";

/** The rows of a screen of 1080 pixels; a row of a dashboard has about 50. */
const FIRST_SCREEN_ROWS = 16;

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

describe.each(ENVIRONMENT_NAMES)("the dashboard of %s", (name) => {
  const chosen = { name: "", environment: name, settings: { dashboard: true } };
  const template = Template.fromStack(stageOf(chosen).stateless);
  const dashboards = Object.values(template.findResources("AWS::CloudWatch::Dashboard"));
  const body = dashboards[0]?.Properties.DashboardBody;
  // References to other resources are parts of a join; their place in the JSON is within a text.
  const parts: readonly unknown[] = body["Fn::Join"][1];
  const text = parts.map((part) => (typeof part === "string" ? part : "REFERENCE")).join("");
  const widgets: readonly Widget[] = JSON.parse(text).widgets;
  const first = widgets.filter(({ y, height }) => y + height <= FIRST_SCREEN_ROWS);

  it("is a choice, and one, under the name of the stack and of its Region, because an account has it for all Regions", () => {
    templates[name].stateless.resourceCountIs("AWS::CloudWatch::Dashboard", 0);
    expect(dashboards).toHaveLength(1);
    expect(dashboards[0]?.Properties.DashboardName).toEqual({
      "Fn::Join": ["", [`plat-${name}-stateless-`, { Ref: "AWS::Region" }]],
    });
  });

  it("shows on its first screen whether the environment is healthy: the state of every alarm", () => {
    const alarms = Object.keys(template.findResources("AWS::CloudWatch::Alarm"));
    const shown = first.find(({ type }) => type === "alarm")?.properties.alarms as string[];
    expect(shown).toHaveLength(alarms.length);
  });

  it("shows there whether a pool is running out, and when", () => {
    const metrics = JSON.stringify(first.map(({ properties }) => properties.metrics));
    expect(metrics).toContain("PoolUse");
    expect(metrics).toContain("HoursUntilExhausted");
  });

  it("shows there who asks most, by the access log", () => {
    const query = first.find(({ type }) => type === "log")?.properties.query;
    expect(query).toMatch(/stats count\(\*\) as requests.* by caller\n\| sort requests desc/s);
  });

  it("shows below what cools in pools", () => {
    const metrics = JSON.stringify(widgets.map(({ properties }) => properties.metrics));
    expect(metrics).toContain("PoolCooling");
  });

  it("has no widget over another", () => {
    const places = widgets.flatMap(({ x, y, width, height }) =>
      Array.from(
        { length: width * height },
        (_, n) => `${x + (n % width)} ${y + Math.floor(n / width)}`,
      ),
    );
    expect(new Set(places).size).toBe(places.length);
  });
});
