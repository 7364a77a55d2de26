import type { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { beforeAll, describe, expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import { everyPair, stageOf } from "../cdk/choices.ts";
import { templates } from "../cdk/templates.ts";
import { type Found, lint } from "./cfn-lint.ts";

const jsonOf = (template: Template) => template.toJSON() as Parameters<typeof lint>[0][number];
const ofEnvironment = new Map(
  ENVIRONMENT_NAMES.map((name) => [name, Object.values(templates[name]).map(jsonOf)]),
);
/** One in so many combinations of choices: all of them with `WHOLE=true`. */
const STEP = process.env.WHOLE === "true" ? 1 : 8;
const ofPair = new Map(
  everyPair()
    .filter((_, n) => n % STEP === 0)
    .map((chosen) => {
      const stacks = stageOf(chosen).node.children as Stack[];
      return [chosen, stacks.map((stack) => jsonOf(Template.fromStack(stack)))];
    }),
);
const wrong = {
  Resources: { Queue: { Type: "AWS::SQS::Queue", Properties: { NoSuchProperty: true } } },
};

let found: ReadonlyMap<object, readonly Found[]>;

beforeAll(async () => {
  found = await lint([...[...ofEnvironment.values(), ...ofPair.values()].flat(), wrong]);
}, 20 * 60_000);

const foundIn = (all: readonly object[] = []) => all.flatMap((one) => found.get(one) ?? []);

const accepted = acceptedFindings("cfn-lint");
const unexplained = (all: readonly Found[]) =>
  all.filter(({ rule, at }) => !accepted.some((one) => one.rule === rule && one.at === at));

describe.each(ENVIRONMENT_NAMES)("cfn-lint over the templates of %s", (name) => {
  it("finds nothing but what is accepted", () => {
    expect(unexplained(foundIn(ofEnvironment.get(name)))).toEqual([]);
  });

  it("finds all that is accepted, so that no acceptance outlives its cause", () => {
    for (const { rule, at } of accepted.filter(({ choice }) => choice === undefined))
      expect(foundIn(ofEnvironment.get(name))).toContainEqual(
        expect.objectContaining({ rule, at }),
      );
  });
});

it.each([...ofPair.keys()])("cfn-lint finds nothing but what is accepted with $name", (chosen) => {
  expect(unexplained(foundIn(ofPair.get(chosen)))).toEqual([]);
});

it.runIf(STEP === 1)("cfn-lint finds all that is accepted with some choice", () => {
  for (const { rule, at } of accepted)
    expect(foundIn([...ofPair.values()].flat())).toContainEqual(
      expect.objectContaining({ rule, at }),
    );
});

it("cfn-lint notices a template that is wrong", () => {
  expect(foundIn([wrong]).map(({ rule }) => rule)).toEqual(["E3002"]);
});
