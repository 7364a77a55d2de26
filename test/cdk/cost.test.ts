import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { templates } from "./templates.ts";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/cost.md", import.meta.url)), "utf8");
const REST_DOLLARS_MAX = 5;

/** Returns the rows of the table in a chapter of docs/cost.md, by their first column, without its head. */
function tableOf(chapter: string): ReadonlyMap<string, readonly string[]> {
  const [, text = ""] = PAGE.split(`## ${chapter}\n`);
  const [of = ""] = text.split("\n## ");
  const rows = of.split("\n").filter((line) => line.startsWith("| "));
  return new Map(
    rows.map((row) => {
      const [first = "", ...texts] = row
        .slice(1, -1)
        .split("|")
        .map((text) => text.trim());
      return [first, texts];
    }),
  );
}

const dollarsIn = (text: string | undefined): number | undefined => {
  const [, dollars] = /^\**\$([\d,]+\.\d\d)\**$/.exec(text ?? "") ?? [];
  return dollars === undefined ? undefined : Number(dollars.replace(",", ""));
};

/** Returns the sum of a column without its last row, and that row, in cents. */
function sumOf(table: ReadonlyMap<string, readonly string[]>, column: number) {
  const cents = [...table.values()].flatMap((texts) => {
    const dollars = dollarsIn(texts[column]);
    return dollars === undefined ? [] : [Math.round(100 * dollars)];
  });
  return { sum: cents.slice(0, -1).reduce((a, b) => a + b, 0), together: cents.at(-1) };
}

describe("docs/cost.md, of an environment at rest", () => {
  const table = tableOf("An environment at rest");
  const countIn = (name: "dev" | "prod", type: string) =>
    Object.keys(templates[name].stateless.findResources(type)).length;

  it.each([
    ["prod", 1],
    ["dev", 2],
  ] as const)("the lines of %s add up to less than $5", (_name, column) => {
    const { sum, together } = sumOf(table, column);
    expect(sum).toBe(together);
    expect(sum).toBeLessThan(100 * REST_DOLLARS_MAX);
  });

  it("has the schedules and alarms of the templates", () => {
    const schedules = countIn("prod", "AWS::Scheduler::Schedule");
    expect(table.get("Lambda requests")?.[0]).toMatch(new RegExp(`^${schedules} × 43,200 = `));
    expect({ prod: schedules, dev: countIn("dev", "AWS::Scheduler::Schedule") }).toEqual({
      prod: 9,
      dev: 3,
    });
    for (const name of ["dev", "prod"] as const)
      expect(table.get("CloudWatch alarms")?.[0]).toContain(
        ` of ${countIn(name, "AWS::CloudWatch::Alarm")} alarms `,
      );
    expect(countIn("prod", "AWS::CloudWatch::Dashboard")).toBe(0);
  });
});

it.each([0, 1, 2])("the lines of an example in docs/cost.md add up (column %i)", (column) => {
  const { sum, together } = sumOf(tableOf("Three examples"), column);
  expect(sum).toBe(together);
});
