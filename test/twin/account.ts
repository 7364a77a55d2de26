import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { expect } from "vitest";
import type { Caller } from "../../twin/callers.ts";
import { deploymentOf } from "../../twin/deployment.ts";
import type { Resource } from "../../twin/names.ts";
import { startTwin, type Twin, type TwinOptions } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";

/** A function of a test: its code, and the other properties in its template. */
export interface TestFunction {
  /** The source of an ES module that exports `handler`. */
  readonly code: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  /** The rights of its role. */
  readonly statements?: readonly unknown[];
}

export interface TestAccount {
  readonly functions: Readonly<Record<string, TestFunction>>;
  /** Further routes, by their keys. */
  readonly routes?: Readonly<Record<string, TestRoute>>;
  /** Further resources, by their ids. */
  readonly resources?: Readonly<Record<string, Resource>>;
}

/** A route of a test. */
interface TestRoute {
  /** The name of its function. */
  readonly servedBy: string;
  /** True if everybody may call it; otherwise IAM decides. */
  readonly isOpen?: boolean;
}

export const arnOf = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });

/**
 * Returns a stack with a table, an API with a route `POST /<name>` for each function, and the
 * resources of a test.
 */
export function stackOf({ functions, routes = {}, resources = {} }: TestAccount) {
  const made = Object.entries(functions).flatMap(([name, { properties, statements = [] }]) => [
    [
      name,
      {
        Type: "AWS::Lambda::Function",
        Properties: {
          Code: { S3Key: `${name}.zip` },
          FunctionName: name,
          Handler: "index.handler",
          Role: arnOf(`${name}Role`),
          Runtime: "nodejs24.x",
          ...properties,
        },
      },
    ],
    [
      `${name}Role`,
      {
        Type: "AWS::IAM::Role",
        Properties: { Policies: [{ PolicyDocument: { Statement: statements } }] },
      },
    ],
    [
      `${name}Permission`,
      {
        Type: "AWS::Lambda::Permission",
        Properties: {
          Action: "lambda:InvokeFunction",
          FunctionName: arnOf(name),
          Principal: "apigateway.amazonaws.com",
        },
      },
    ],
  ]);
  const names = Object.keys(functions);
  const common: Readonly<Record<string, Resource>> = {
    Table: {
      Type: "AWS::DynamoDB::Table",
      Properties: {
        TableName: "things",
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      },
    },
    Api: apiOf(
      {
        ...Object.fromEntries(names.map((name) => [`POST /${name}`, { servedBy: name }])),
        ...routes,
      },
      Object.fromEntries(names.map((name) => [name, arnOf(name)])),
    ),
    Stage: { Type: "AWS::ApiGatewayV2::Stage", Properties: { StageName: "$default" } },
  };
  return {
    name: "test",
    account: "123456789012",
    region: "eu-central-1",
    resources: { ...common, ...Object.fromEntries(made), ...resources } as Record<string, Resource>,
    outputs: {},
  };
}

/** Returns an HTTP API with these routes, which lead to what has these ARNs. */
export function apiOf(
  routes: Readonly<Record<string, TestRoute>>,
  arns: Readonly<Record<string, object>>,
): Resource {
  const paths: Record<string, object> = {};
  for (const [key, { servedBy, isOpen = false }] of Object.entries(routes)) {
    const [method = "", path = ""] = key.split(" ");
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        ...(!isOpen && { security: [{ caller: [] }] }),
        "x-amazon-apigateway-integration": {
          $ref: `#/components/x-amazon-apigateway-integrations/${servedBy}`,
        },
      },
    };
  }
  const uriOf = (arn: object) => ({ "Fn::Join": ["", ["path/functions/", arn, "/invocations"]] });
  return {
    Type: "AWS::ApiGatewayV2::Api",
    Properties: {
      Body: {
        paths,
        components: {
          securitySchemes: { caller: { "x-amazon-apigateway-authtype": "awsSigv4" } },
          "x-amazon-apigateway-integrations": Object.fromEntries(
            Object.entries(arns).map(([name, arn]) => [
              name,
              { type: "aws_proxy", payloadFormatVersion: "2.0", uri: uriOf(arn) },
            ]),
          ),
        },
      },
      FailOnWarnings: true,
    },
  };
}

/** Starts a twin of such a stack. */
export async function startAccount(
  account: TestAccount,
  options: Partial<TwinOptions> = {},
): Promise<Twin> {
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  const assets = new Map<string, string>();
  for (const [name, { code }] of Object.entries(account.functions)) {
    const folder = await mkdtemp(join(directory, "asset-"));
    await writeFile(join(folder, "index.mjs"), code);
    assets.set(name, folder);
  }
  return startTwin(deploymentOf([stackOf(account)]), assets, { port: 0, ...options });
}

/** Sends a request that a caller has signed. */
export async function call(
  twin: Pick<Twin, "url" | "deployment">,
  { accessKeyId, secretAccessKey }: Pick<Caller, "accessKeyId" | "secretAccessKey">,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { "content-type": "application/json" },
) {
  const client = new AwsClient({
    accessKeyId,
    secretAccessKey,
    service: "execute-api",
    region: twin.deployment.region,
    retries: 0,
  });
  const response = await client.fetch(new URL(path, twin.url).href, {
    method,
    headers,
    ...(body !== undefined && { body }),
    aws: { allHeaders: false },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** Returns the lines of the access log so far. */
export async function accessLines({ deployment, logs }: Twin): Promise<readonly string[]> {
  const { logGroup = "" } = deployment.api.accessLog ?? {};
  return (await readFile(logs.fileOf(logGroup), "utf8")).trim().split("\n");
}

/** Waits until the access log has a line with these fields. */
export const hasAccessLine = (twin: Twin, fields: object): Promise<void> =>
  eventually(async () => {
    const lines = (await accessLines(twin)).map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining(fields));
  });
