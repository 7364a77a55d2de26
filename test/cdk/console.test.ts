import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import type { EnvironmentName } from "../../cdk/environments.ts";
import type { Settings } from "../../twin/assembly.ts";
import { ACCESS_BY_JWT, ACCESS_BY_TOKEN, stageOf } from "./choices.ts";
import { bodyRoutes, openKeys } from "./http-api.ts";

const PUBLIC = ["GET /console", "GET /console/{proxy+}"];

const templateOf = (settings: Settings, environment: EnvironmentName = "dev") =>
  Template.fromStack(stageOf({ name: "console", environment, settings }).stateless);

const byIam = templateOf({ console: {} });

/** Returns the settings that the function of the console has, as its JSON. */
function settingsIn(template: Template): string {
  const [variables] = Object.values(template.findResources("AWS::Lambda::Function"))
    .map(({ Properties }) => Properties.Environment?.Variables ?? {})
    .filter((found) => "CONSOLE_SETTINGS" in found);
  return JSON.stringify(variables.CONSOLE_SETTINGS);
}

describe("the console of a deployment", () => {
  it("is public, with a rate of its own, and all other routes are authorized", () => {
    expect(openKeys(byIam)).toEqual(PUBLIC);
    for (const { key, uri } of bodyRoutes(byIam).filter(({ isOpen }) => isOpen))
      expect(uri, key).toContain('"consoleFunction');
    const [stage] = Object.values(byIam.findResources("AWS::ApiGatewayV2::Stage"));
    const limit = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 };
    expect(stage?.Properties.RouteSettings).toEqual(
      Object.fromEntries(PUBLIC.map((key) => [key, limit])),
    );
  });

  it("has a function that may write its log, and nothing else", () => {
    const policies = Object.entries(byIam.findResources("AWS::IAM::Policy")).filter(([id]) =>
      id.startsWith("console"),
    );
    const actions = policies.flatMap(([, { Properties }]) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }: { Action: unknown }) => Action),
    );
    expect(actions.sort()).toEqual(["logs:CreateLogStream", "logs:PutLogEvents"]);
  });

  it("signs in as the API authorizes: by IAM in the Region, by a token, or at the issuer", () => {
    expect(settingsIn(byIam)).toMatch(/\\"type\\":\\"iam\\",\\"region\\":/);
    const byToken = settingsIn(templateOf({ access: ACCESS_BY_TOKEN, console: {} }));
    expect(byToken).toContain(String.raw`{\"signIn\":{\"type\":\"token\"},\"origins\":[]}`);
    const origins = ["https://auth.example.com"];
    const console = { clientId: "plat-console", scope: "openid plat", origins };
    const byIssuer = JSON.parse(
      JSON.parse(settingsIn(templateOf({ access: ACCESS_BY_JWT, console }))),
    );
    expect(byIssuer).toEqual({
      signIn: {
        type: "jwt",
        issuer: "https://login.example.com",
        clientId: "plat-console",
        scope: "openid plat",
      },
      origins: ["https://login.example.com", ...origins],
    });
    const unscoped = templateOf({ access: ACCESS_BY_JWT, console: { clientId: "plat-console" } });
    expect(settingsIn(unscoped)).toContain(String.raw`\"scope\":\"openid\"`);
  });
});
