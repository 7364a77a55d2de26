import { AwsSolutionsChecks } from "cdk-nag";
import type { IConstruct } from "constructs";

/** Returns the findings of cdk-nag's AwsSolutions, each as its rule and the construct. */
export function findings(scope: IConstruct): string[] {
  const { violations } = new AwsSolutionsChecks().validateScope(scope);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(
      ({ constructPath }) => `${ruleName.replace(/\[.*/, "")} ${constructPath}`,
    ),
  );
}
