import { Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { AwsSolutionsChecks } from "cdk-nag";
import type { IConstruct } from "constructs";
import { describe, expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { ENVIRONMENT_NAMES, stageName } from "../../cdk/environments.ts";
import { stages } from "./templates.ts";

describe.each(ENVIRONMENT_NAMES)("the rules AwsSolutions of cdk-nag over %s", (name) => {
  it("find what is accepted, and nothing else", () => {
    const accepted = acceptedFindings("cdk-nag").map(({ rule, at }) => `${rule} ${at}`);
    const found = findings(stages[name]).map((finding) =>
      finding.replace(`${stageName(name)}/`, ""),
    );
    expect([...new Set(found)].sort()).toEqual(accepted.sort());
  });
});

it("the rules notice a topic that takes messages without TLS", () => {
  const stack = new Stack();
  new Topic(stack, "Topic");
  expect(findings(stack)).toEqual(["AwsSolutions-SNS3 Default/Topic/Resource"]);
});

/** Returns the findings, each as its rule and the construct. */
function findings(scope: IConstruct): string[] {
  const { violations } = new AwsSolutionsChecks().validateScope(scope);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(
      ({ constructPath }) => `${ruleName.replace(/\[.*/, "")} ${constructPath}`,
    ),
  );
}
