import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { PlatStage } from "../../cdk/stage.ts";
import { templates } from "./templates.ts";

const context = { "aws:cdk:bundling-stacks": [], "plat:dev": { publicHealth: true } };
const open = Template.fromStack(new PlatStage(new App({ context }), "dev").stateless);
const PUBLIC = ["GET /healthz", "HEAD /healthz"];

/** Returns the keys of the routes that ask for no signature. */
const unsigned = (template: Template) =>
  Object.values(template.findResources("AWS::ApiGatewayV2::Route"))
    .filter(({ Properties }) => Properties.AuthorizationType !== "AWS_IAM")
    .map(({ Properties }) => Properties.RouteKey)
    .sort();

describe("/healthz without a signature", () => {
  it("is the only public path, and a choice of the environment", () => {
    expect(unsigned(open)).toEqual(PUBLIC);
    expect(unsigned(templates.dev.stateless)).toEqual([]);
  });

  it("has a low rate of its own, and its stage comes after it", () => {
    const [stage] = Object.values(open.findResources("AWS::ApiGatewayV2::Stage"));
    const limit = { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 };
    expect(stage?.Properties.RouteSettings).toEqual(
      Object.fromEntries(PUBLIC.map((key) => [key, limit])),
    );
    const routes = Object.entries(open.findResources("AWS::ApiGatewayV2::Route"))
      .filter(([, { Properties }]) => PUBLIC.includes(Properties.RouteKey))
      .map(([id]) => id);
    expect(stage?.DependsOn).toEqual(expect.arrayContaining(routes));
  });
});
