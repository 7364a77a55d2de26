import { Stack } from "aws-cdk-lib";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, it } from "vitest";
import { acceptedFindings } from "../../cdk/accepted-findings.ts";
import { ENVIRONMENT_NAMES, stageName } from "../../cdk/environments.ts";
import { findings } from "./findings.ts";
import { stages } from "./templates.ts";

describe.each(ENVIRONMENT_NAMES)("the rules AwsSolutions of cdk-nag over %s", (name) => {
  it("find what is accepted, and nothing else", () => {
    const accepted = acceptedFindings("cdk-nag")
      .filter(({ choice }) => choice === undefined)
      .map(({ rule, at }) => `${rule} ${at}`);
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
