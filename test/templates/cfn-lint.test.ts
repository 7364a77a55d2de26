import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, describe, expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import { everyPair, stageOf } from "../cdk/choices.ts";
import { templates } from "../cdk/templates.ts";
import { pythonProgram } from "./python.ts";

interface Finding {
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Location: { readonly Path: readonly [string, string, ...unknown[]] };
}

const directory = mkdtempSync(join(tmpdir(), "plat-templates-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const accepted = acceptedFindings("cfn-lint");
const unexplained = (found: readonly Found[]) =>
  found.filter(({ rule, at }) => !accepted.some((one) => one.rule === rule && one.at === at));

describe.each(ENVIRONMENT_NAMES)("cfn-lint over the templates of %s", (name) => {
  const found = Object.values(templates[name]).flatMap(foundIn);

  it("finds nothing but what is accepted", () => {
    expect(unexplained(found)).toEqual([]);
  });

  it("finds all that is accepted, so that no acceptance outlives its cause", () => {
    for (const { rule, at } of accepted.filter(({ choice }) => choice === undefined))
      expect(found).toContainEqual(expect.objectContaining({ rule, at }));
  });
});

const foundWithChoices: Found[] = [];

it.each(everyPair())("cfn-lint finds nothing but what is accepted with $name", (chosen) => {
  const stacks = stageOf(chosen).node.children as Stack[];
  const found = stacks.flatMap((stack) => foundIn(Template.fromStack(stack)));
  foundWithChoices.push(...found);
  expect(unexplained(found)).toEqual([]);
});

it("cfn-lint finds all that is accepted with some choice", () => {
  for (const { rule, at } of accepted)
    expect(foundWithChoices).toContainEqual(expect.objectContaining({ rule, at }));
});

it("cfn-lint notices a template that is wrong", () => {
  const file = join(directory, "wrong.json");
  const Resources = { Queue: { Type: "AWS::SQS::Queue", Properties: { NoSuchProperty: true } } };
  writeFileSync(file, JSON.stringify({ Resources }));
  expect(findings(file).map(({ Rule }) => Rule.Id)).toEqual(["E3002"]);
});

interface Found {
  readonly rule: string;
  readonly at: string;
  readonly message: string;
}

/** Returns the findings in a template, each with the type of its resource. */
function foundIn(template: Template): readonly Found[] {
  const file = join(directory, `${randomUUID()}.json`);
  const { Resources } = template.toJSON();
  writeFileSync(file, JSON.stringify(template.toJSON()));
  return findings(file).map(({ Rule, Message, Location }) => ({
    rule: Rule.Id,
    at: String(Resources[Location.Path[1]]?.Type),
    message: Message,
  }));
}

function findings(file: string): Finding[] {
  const { stdout, stderr } = spawnSync(pythonProgram("cfn-lint"), ["--format", "json", file], {
    encoding: "utf8",
  });
  if (stdout.trim() === "") throw new Error(stderr);
  return JSON.parse(stdout);
}
