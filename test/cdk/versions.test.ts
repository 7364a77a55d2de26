import { describe, expect, it } from "vitest";
import { ENVIRONMENT_NAMES } from "../../cdk/environments.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import { bodyRoutes } from "./http-api.ts";
import { FUNCTIONS, HTTP_FUNCTIONS, templates } from "./templates.ts";

/** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: a function's resource-based policy. */
const FUNCTION_POLICY_BYTES_MAX = 20 * 1024;
/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const STACK_RESOURCES_MAX = 500;

describe.each(ENVIRONMENT_NAMES)("the versions of the functions in %s", (name) => {
  const template = templates[name].stateless;

  it.each(FUNCTIONS)(
    "%s has the alias `live`, which leads to the version deployed last",
    (name) => {
      const aliases = Object.entries(template.findResources("AWS::Lambda::Alias"));
      const [, alias] = aliases.find(([id]) => id.startsWith(`${name}FunctionAliaslive`)) ?? [];
      const [version] = Object.keys(template.findResources("AWS::Lambda::Version")).filter((id) =>
        id.startsWith(`${name}FunctionCurrentVersion`),
      );
      expect(alias?.Properties).toEqual({
        Name: "live",
        FunctionName: { Ref: expect.stringMatching(`^${name}Function`) },
        FunctionVersion: { "Fn::GetAtt": [version, "Version"] },
      });
    },
  );

  it("stay when a new one is deployed, and go when their own deployment fails, so that it can be tried again", () => {
    for (const version of Object.values(template.findResources("AWS::Lambda::Version")))
      expect(version).toMatchObject({
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
      });
  });

  it("are invoked by API Gateway and Scheduler through the alias, and in no other way", () => {
    for (const { uri } of bodyRoutes(template))
      expect(uri).toMatch(
        /functions\/",\{"Fn::GetAtt":\["\w+Function\w+","Arn"\]\},":live\/invocations"/,
      );
    const called = [
      ...propertiesOf("AWS::Lambda::Permission").map(({ FunctionName }) => FunctionName),
      ...propertiesOf("AWS::Scheduler::Schedule").map(({ Target }) => Target.Arn),
    ];
    for (const target of called)
      expect(target).toEqual({ Ref: expect.stringMatching(/^\w+FunctionAliaslive[0-9A-F]{8}$/) });
  });

  it("may be invoked for each of their routes, and for what no route takes", () => {
    const arn = "arn:aws:execute-api:eu-central-1:123456789012:api";
    const allowed = (name: string, source: string) =>
      permissionsOf(name).some(({ SourceArn }) =>
        arnLike(filledIn(SourceArn, arn), `${arn}/${source}`),
      );
    for (const { method, path, function: served } of ROUTES)
      expect(allowed(served, `$default/${method}${path}`), `${method} ${path}`).toBe(true);
    // The ARN of `$default` names no method and no path.
    expect(allowed("openapi", "$default/$default")).toBe(true);
    for (const name of HTTP_FUNCTIONS) {
      expect(permissionsOf(name), name).toHaveLength(1);
      expect(allowed(name, "other/GET/v1/pools"), name).toBe(false);
      expect(allowed(name, "authorizers/a"), name).toBe(false);
    }
  });

  it.each(HTTP_FUNCTIONS)("%s has its permissions within what a policy may have", (name) => {
    const statements = permissionsOf(name).map(({ Action, FunctionName, SourceArn }) => ({
      Sid: "x".repeat(100),
      Effect: "Allow",
      Principal: { Service: "apigateway.amazonaws.com" },
      Action,
      Resource: `arn:aws:lambda:eu-central-1:123456789012:function:${FunctionName.Ref}:live`,
      Condition: { ArnLike: { "AWS:SourceArn": filledIn(SourceArn, "x".repeat(80)) } },
    }));
    expect(JSON.stringify(statements).length).toBeGreaterThan(0);
    expect(JSON.stringify(statements).length).toBeLessThan(FUNCTION_POLICY_BYTES_MAX / 2);
  });

  it("leave a tenth of the resources that CloudFormation allows", () => {
    expect(Object.keys(template.toJSON().Resources).length).toBeLessThan(0.9 * STACK_RESOURCES_MAX);
  });

  function propertiesOf(type: string) {
    return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
  }

  function permissionsOf(name: string) {
    const permissions = propertiesOf("AWS::Lambda::Permission");
    return permissions.filter(({ FunctionName }) =>
      FunctionName.Ref.startsWith(`${name}FunctionAliaslive`),
    );
  }
});

/**
 * Returns the ARN that the template joins. It replaces the part up to the API's id, which is known only at deployment.
 */
function filledIn(arn: { "Fn::Join": [string, unknown[]] }, api: string): string {
  const [, parts] = arn["Fn::Join"];
  return `${api}${parts.at(-1)}`;
}

/** Returns true if an ARN matches a pattern, in which `*` matches any characters. */
function arnLike(pattern: string, arn: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[$.+?()[\]{}|\\^]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(arn);
}
