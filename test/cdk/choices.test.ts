import { statSync } from "node:fs";
import { CfnResource } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { deployment, SPACES_MAX } from "../../cdk/deployment.ts";
import { stageName } from "../../cdk/environments.ts";
import {
  ACCESS_BY_JWT,
  ACCESS_BY_TOKEN,
  CHOSEN_SETTINGS,
  CONSOLE_AT_ISSUER,
  coveringRows,
  DOMAIN,
  everyPair,
  impossiblePairs,
  stageOf,
} from "./choices.ts";
import { findings } from "./findings.ts";

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const STACK_RESOURCES_MAX = 500;
const TEMPLATE_BYTES_MAX = 1_000_000;

describe("the rows of choices", () => {
  it("have every pair of the values of two choices", () => {
    const choices: Readonly<Record<string, readonly unknown[]>> = {
      a: [1, 2, 3],
      b: [true, undefined],
      c: ["x", "y", "z"],
      d: [0, 1],
    };
    const rows = coveringRows(choices);
    for (const [one, values] of Object.entries(choices))
      for (const [other, others] of Object.entries(choices).filter(([name]) => name !== one))
        for (const value of values)
          for (const another of others)
            expect(rows).toContainEqual(
              expect.objectContaining({ [one]: value, [other]: another }),
            );
    expect(rows.length).toBeLessThan(3 * 2 * 3 * 2);
  });

  it("have no impossible pair, and every other one", () => {
    const isPossible = ({ a, b }: { readonly [name: string]: number }) => a !== 1 || b !== 1;
    const rows = coveringRows({ a: [0, 1], b: [0, 1], c: [0, 1] }, isPossible);
    expect(rows).not.toContainEqual(expect.objectContaining({ a: 1, b: 1 }));
    for (const pair of [
      { a: 0, b: 1 },
      { a: 1, b: 0 },
      { b: 1, c: 1 },
      { a: 1, c: 1 },
    ])
      expect(rows).toContainEqual(expect.objectContaining(pair));
  });

  it("choose every setting of an environment", () => {
    const { entries } = deployment.pipe[0];
    expect([...CHOSEN_SETTINGS].sort()).toEqual(["environment", ...Object.keys(entries)].sort());
  });

  it("leave out what a deployment rejects: what a private API and further Regions cannot have", () => {
    const choices = impossiblePairs().map((pair) =>
      pair
        .split(" | ")
        .map((value) => value.split(" ")[0])
        .join(" "),
    );
    expect([...new Set(choices)].sort()).toEqual([
      "access api",
      "access console",
      "access spaces",
      "api console",
      "api domain",
      "api regions",
      "domain regions",
      "tableName regions",
    ]);
  });

  it("have a name each", () => {
    const names = everyPair().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

const accepted = acceptedFindings("cdk-nag").map(({ rule, at }) => `${rule} ${at}`);
const ofPairs = everyPair().map((chosen) => ({ ...chosen, stage: stageOf(chosen) }));
const found = new Map(
  ofPairs.map(({ name, environment, stage }) => [
    name,
    findings(stage).map((finding) =>
      finding
        .replace(`${stageName(environment)}/`, "")
        // The stack of a further Region is accepted as that of the first.
        .replace(/ (stateless|trail)-[\w-]+\//, " $1/")
        // A policy of one space is accepted as that of all spaces.
        .replace(/(\/Callers\/\w+)-[\w-]+\//, "$1/"),
    ),
  ]),
);

it.each([...found])("cdk-nag finds nothing but what is accepted with %s", (_, all) => {
  expect(all.filter((finding) => !accepted.includes(finding))).toEqual([]);
});

it("cdk-nag finds all that is accepted with some choice", () => {
  expect([...found.values()].flat()).toEqual(expect.arrayContaining(accepted));
});

it.each(ofPairs)("CloudFormation has room for every stack with $name", ({ stage }) => {
  for (const stack of stage.node.children) {
    const resources = stack.node.findAll().filter((one) => CfnResource.isCfnResource(one));
    expect(resources.length, stack.node.id).toBeGreaterThan(0);
    expect(resources.length, stack.node.id).toBeLessThan(STACK_RESOURCES_MAX);
  }
});

describe("all choices together", () => {
  const all = {
    account: "123456789012",
    region: "eu-central-1",
    domain: DOMAIN,
    customerManagedKey: true,
    rollout: "canary",
    publicHealth: true,
    tracing: "xray",
    probe: true,
    console: {},
    trailLock: { mode: "governance", days: 30 },
  };

  it.each([
    ["IAM", { spaces: Array.from({ length: SPACES_MAX }, (_, i) => `space-${i}`) }],
    ["tokens", { access: ACCESS_BY_TOKEN }],
    ["JSON Web Tokens", { access: ACCESS_BY_JWT, console: CONSOLE_AT_ISSUER }],
  ])("leave a quarter of what CloudFormation takes with %s", (_, settings) => {
    const stage = stageOf({ name: "", environment: "prod", settings: { ...all, ...settings } });
    for (const { template, templateFullPath } of stage.synth().stacks) {
      expect(Object.keys(template.Resources).length).toBeLessThan(0.75 * STACK_RESOURCES_MAX);
      expect(statSync(templateFullPath).size).toBeLessThan(0.75 * TEMPLATE_BYTES_MAX);
    }
  });
});
