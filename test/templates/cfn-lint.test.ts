import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import { templates } from "../cdk/templates.ts";
import { pythonProgram } from "./python.ts";

interface Finding {
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Location: { readonly Path: readonly [string, string, ...unknown[]] };
}

const directory = mkdtempSync(join(tmpdir(), "plat-templates-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(ENVIRONMENT_NAMES)("cfn-lint over the templates of %s", (name) => {
  const found = Object.entries(templates[name]).flatMap(([stack, template]) => {
    const file = join(directory, `${name}-${stack}.json`);
    const { Resources } = template.toJSON();
    writeFileSync(file, JSON.stringify(template.toJSON()));
    return findings(file).map(({ Rule, Message, Location }) => ({
      rule: Rule.Id,
      at: String(Resources[Location.Path[1]]?.Type),
      message: Message,
    }));
  });
  const accepted = acceptedFindings("cfn-lint");

  it("finds nothing but what is accepted", () => {
    const unexplained = found.filter(
      ({ rule, at }) => !accepted.some((one) => one.rule === rule && one.at === at),
    );
    expect(unexplained).toEqual([]);
  });

  it("finds all that is accepted, so that no acceptance outlives its cause", () => {
    for (const { rule, at } of accepted)
      expect(found).toContainEqual(expect.objectContaining({ rule, at }));
  });
});

it("cfn-lint notices a template that is wrong", () => {
  const file = join(directory, "wrong.json");
  const Resources = { Queue: { Type: "AWS::SQS::Queue", Properties: { NoSuchProperty: true } } };
  writeFileSync(file, JSON.stringify({ Resources }));
  expect(findings(file).map(({ Rule }) => Rule.Id)).toEqual(["E3002"]);
});

function findings(file: string): Finding[] {
  const { stdout, stderr } = spawnSync(pythonProgram("cfn-lint"), ["--format", "json", file], {
    encoding: "utf8",
  });
  if (stdout.trim() === "") throw new Error(stderr);
  return JSON.parse(stdout);
}
