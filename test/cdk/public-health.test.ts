import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { stageOfContext } from "../../cdk/stage.ts";
import { openKeys } from "./http-api.ts";
import { templates } from "./templates.ts";

const context = { "aws:cdk:bundling-stacks": [], "plat:dev": { publicHealth: true } };
const open = Template.fromStack(stageOfContext(new App({ context }), "dev").stateless);
const PUBLIC = ["GET /healthz", "HEAD /healthz"];

describe("/healthz without a signature", () => {
  it("is the only public path, and a choice of the environment", () => {
    expect(openKeys(open)).toEqual(PUBLIC);
    expect(openKeys(templates.dev.stateless)).toEqual([]);
  });

  it("has a low rate of its own, and its stage comes after it", () => {
    const [stage] = Object.values(open.findResources("AWS::ApiGatewayV2::Stage"));
    const [api] = Object.keys(open.findResources("AWS::ApiGatewayV2::Api"));
    const limit = { ThrottlingRateLimit: 10, ThrottlingBurstLimit: 20 };
    expect(stage?.Properties).toMatchObject({
      ApiId: { Ref: api },
      RouteSettings: Object.fromEntries(PUBLIC.map((key) => [key, limit])),
    });
  });
});
