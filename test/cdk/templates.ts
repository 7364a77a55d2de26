import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { type PlatStage, stageOfContext } from "../../cdk/stage.ts";
import { ROUTES } from "../../src/contract/routes.ts";

export const HTTP_FUNCTIONS = [...new Set(ROUTES.map((route) => route.function))];
export const SCHEDULED_FUNCTIONS = ["reclaim", "repair", "work"] as const;
export const FUNCTIONS = [...HTTP_FUNCTIONS, ...SCHEDULED_FUNCTIONS, "intake", "publish"] as const;

// Without bundling, because it would change only the hash of the code in the templates.
const app = new App({ context: { "aws:cdk:bundling-stacks": [] } });
export const stages = {
  dev: stageOfContext(app, "dev"),
  prod: stageOfContext(app, "prod"),
};

/** The templates of both environments, without accounts. */
export const templates = {
  dev: templatesOf(stages.dev),
  prod: templatesOf(stages.prod),
};

/**
 * Returns the properties of the functions by their names in the code, to which the CDK appends the rest of the logical
 * id.
 */
export function functionsOf(template: Template) {
  return Object.fromEntries(
    Object.entries(template.findResources("AWS::Lambda::Function")).map(([id, { Properties }]) => [
      id.replace(/Function[0-9A-F]{8}$/, ""),
      Properties,
    ]),
  );
}

function templatesOf({ stateful, trail, stateless }: PlatStage) {
  if (!stateful) throw new Error("no context names a table that there is");
  return {
    stateful: Template.fromStack(stateful),
    trail: Template.fromStack(trail),
    stateless: Template.fromStack(stateless),
  };
}
