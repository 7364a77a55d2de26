import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { PlatStage } from "../../cdk/stage.ts";
import { ROUTES } from "../../src/contract/routes/routes.ts";

export const HTTP_FUNCTIONS = [...new Set(ROUTES.map((route) => route.function))];
export const SCHEDULED_FUNCTIONS = ["reclaim", "repair", "work"] as const;
export const FUNCTIONS = [...HTTP_FUNCTIONS, ...SCHEDULED_FUNCTIONS];

// Bundling would change nothing in the templates but the hash of the code.
const app = new App({ context: { "aws:cdk:bundling-stacks": [] } });
export const stages = {
  dev: new PlatStage(app, "dev"),
  prod: new PlatStage(app, "prod"),
};

/** The templates of both environments, as they are where nothing is said of their accounts. */
export const templates = {
  dev: templatesOf(stages.dev),
  prod: templatesOf(stages.prod),
};

/** The functions' properties by the name the code gives them; the CDK appends the rest of the logical id. */
export function functionsOf(template: Template) {
  return Object.fromEntries(
    Object.entries(template.findResources("AWS::Lambda::Function")).map(([id, { Properties }]) => [
      id.replace(/Function[0-9A-F]{8}$/, ""),
      Properties,
    ]),
  );
}

function templatesOf({ stateful, stateless }: PlatStage) {
  if (!stateful) throw new Error("no context names a table that there is");
  return { stateful: Template.fromStack(stateful), stateless: Template.fromStack(stateless) };
}
