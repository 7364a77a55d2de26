import { readFileSync } from "node:fs";
import { Match, Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { ROUTE_KEYS } from "../../cdk/api-choice.ts";
import { ENVIRONMENT_NAMES, ENVIRONMENTS } from "../../cdk/environments.ts";
import { EVERY_SHARD } from "../../src/base/hash.ts";
import { REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { ROUTES } from "../../src/contract/routes.ts";
import { TABLE } from "../../src/table/definition.ts";
import { ACCESS_BY_JWT, ACCESS_BY_TOKEN, DOMAIN, stageOf } from "./choices.ts";
import { bodyOf, bodyRoutes, openKeys } from "./http-api.ts";
import {
  FUNCTIONS,
  functionsOf,
  HTTP_FUNCTIONS,
  SCHEDULED_FUNCTIONS,
  stages,
  templates,
} from "./templates.ts";

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const ROUTES_MAX = 300;

const TABLE_TYPE = "AWS::DynamoDB::GlobalTable";

describe("the table", () => {
  it("in prod survives a deleted item, a deleted stack and a deleted table", () => {
    templates.prod.stateful.hasResource(TABLE_TYPE, {
      DeletionPolicy: "Retain",
      UpdateReplacePolicy: "Retain",
      Properties: {
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
        StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      },
    });
  });

  it("in dev goes with its stack, and costs nothing beyond its items", () => {
    templates.dev.stateful.hasResource(TABLE_TYPE, {
      DeletionPolicy: "Delete",
      UpdateReplacePolicy: "Delete",
      Properties: {
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: false,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
          }),
        ],
        StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      },
    });
  });

  it.each(ENVIRONMENT_NAMES)("in %s has the keys and the index the store works with", (name) => {
    templates[name].stateful.hasResourceProperties(TABLE_TYPE, {
      KeySchema: keySchema(TABLE),
      AttributeDefinitions: [
        { AttributeName: TABLE.partitionKey, AttributeType: "S" },
        { AttributeName: TABLE.sortKey, AttributeType: "S" },
        { AttributeName: TABLE.dueIndex.partitionKey, AttributeType: "S" },
        { AttributeName: TABLE.dueIndex.sortKey, AttributeType: "N" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: TABLE.dueIndex.name,
          KeySchema: keySchema(TABLE.dueIndex),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    });
  });

  it.each(ENVIRONMENT_NAMES)("in %s is paid per request and lives in one region", (name) => {
    templates[name].stateful.hasResourceProperties(TABLE_TYPE, {
      BillingMode: "PAY_PER_REQUEST",
      Replicas: [Match.objectLike({ Region: { Ref: "AWS::Region" } })],
    });
  });
});

describe.each(ENVIRONMENT_NAMES)("the API in %s", (name) => {
  const template = templates[name].stateless;

  it("has the routes of the edge and one for all else, and each asks for a signed request", () => {
    const keys = bodyRoutes(template).map(({ key }) => key);
    expect(keys.toSorted()).toEqual([...ROUTE_KEYS, "$default"].sort());
    expect(openKeys(template)).toEqual([]);
    expect(bodyOf(template).components.securitySchemes.caller).toEqual({
      type: "apiKey",
      name: "Authorization",
      in: "header",
      "x-amazon-apigateway-authtype": "awsSigv4",
    });
  });

  it("leads each route to the function that serves it", () => {
    for (const { method, path, function: served } of ROUTES)
      expect(servedBy(template, `${method} ${path}`)).toContain(`"${served}Function`);
  });

  it("leads what no route takes to a function without access to the table", () => {
    expect(servedBy(template, "$default")).toContain('"openapiFunction');
  });

  it("has its definition in one resource, and nothing beside it that a definition excludes", () => {
    template.hasResourceProperties("AWS::ApiGatewayV2::Api", { FailOnWarnings: true });
    for (const type of ["Route", "Integration", "Authorizer"])
      template.resourceCountIs(`AWS::ApiGatewayV2::${type}`, 0);
  });

  it("has no more routes and integrations than API Gateway takes", () => {
    expect(bodyRoutes(template).length).toBeLessThanOrEqual(ROUTES_MAX);
    expect(new Set(bodyRoutes(template).map(({ uri }) => uri)).size).toBe(HTTP_FUNCTIONS.length);
  });

  it("declares the variables of each path, with the plus of a greedy one, as an export does", () => {
    for (const [path, { parameters = [] }] of Object.entries(bodyOf(template).paths))
      expect(parameters.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{[^}]*\}/g) ?? []);
    expect(JSON.stringify(bodyOf(template).paths)).toContain('"name":"handle+"');
  });

  it("limits the rate of requests and writes an access log that expires", () => {
    template.hasResourceProperties("AWS::ApiGatewayV2::Stage", {
      DefaultRouteSettings: {
        ThrottlingRateLimit: Match.anyValue(),
        ThrottlingBurstLimit: Match.anyValue(),
      },
      AccessLogSettings: { DestinationArn: Match.anyValue(), Format: Match.anyValue() },
    });
  });

  it("has nothing in its access log that a caller wrote: no path, no query, no header", () => {
    expect(Object.values(accessLogOf(template)).sort()).toEqual([
      "$context.authorizer.error",
      "$context.error.message",
      "$context.identity.sourceIp",
      "$context.identity.userArn",
      "$context.integrationErrorMessage",
      "$context.requestId",
      "$context.responseLatency",
      "$context.routeKey",
      "$context.status",
    ]);
  });
});

describe.each(ENVIRONMENT_NAMES)("the functions in %s", (name) => {
  const template = templates[name].stateless;
  const functions = functionsOf(template);

  it("are those of the routes, of the schedules, of the queue and of the stream", () => {
    expect(Object.keys(functions).sort()).toEqual([...FUNCTIONS].sort());
  });

  it.each(FUNCTIONS)("%s runs on Node.js 24 and arm64 and knows its table", (name) => {
    expect(functions[name]).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Environment: { Variables: { TABLE_NAME: expect.anything() } },
    });
  });

  it.each(FUNCTIONS)("%s has its own log group", (name) => {
    const logGroup = functions[name]?.LoggingConfig.LogGroup.Ref;
    expect(logGroup).toMatch(new RegExp(`^${name}Logs`));
    expect(Object.keys(template.findResources("AWS::Logs::LogGroup"))).toContain(logGroup);
  });

  it("write logs that expire", () => {
    for (const { Properties } of Object.values(template.findResources("AWS::Logs::LogGroup"))) {
      expect(Properties.RetentionInDays).toBe(ENVIRONMENTS[name].logRetention);
    }
  });

  it.each(HTTP_FUNCTIONS)("%s is stopped when its request counts as over", (name) => {
    expect(functions[name]?.Timeout).toBe(REQUEST_MS_MAX / 1000);
  });

  it.each(SCHEDULED_FUNCTIONS)("%s has a minute", (name) => {
    expect(functions[name]?.Timeout).toBe(60);
  });
});

describe("of the account's Lambda executions", () => {
  it("dev reserves none, so that it can be deployed where there are only 10", () => {
    for (const { ReservedConcurrentExecutions } of Object.values(
      functionsOf(templates.dev.stateless),
    ))
      expect(ReservedConcurrentExecutions).toBeUndefined();
  });

  it("prod reserves one for each schedule, however many requests there are, and no other", () => {
    const reserved = Object.entries(functionsOf(templates.prod.stateless))
      .filter(([, { ReservedConcurrentExecutions }]) => ReservedConcurrentExecutions !== undefined)
      .map(([name, { ReservedConcurrentExecutions }]) => [name, ReservedConcurrentExecutions]);
    expect(Object.fromEntries(reserved)).toEqual({ reclaim: 4, repair: 4, work: 1 });
  });

  it.each(["docs/deploy.md", "pack/README.md"])("%s has the quota that prod needs", (page) => {
    const reserved = Object.values(functionsOf(templates.prod.stateless)).reduce(
      (sum, { ReservedConcurrentExecutions = 0 }) => sum + ReservedConcurrentExecutions,
      0,
    );
    // Lambda keeps 100 unreserved.
    const quotas = [...readFileSync(page, "utf8").matchAll(/quota of (\d+)/g)];
    expect(new Set(quotas.map(([, quota]) => Number(quota)))).toEqual(new Set([100 + reserved]));
  });
});

describe.each(ENVIRONMENT_NAMES)("access to the table in %s", (name) => {
  const template = templates[name].stateless;
  it("is spelled out: no role may do every action or reach every resource", () => {
    for (const statement of statementsOf(template, "")) {
      expect([statement.Action].flat().filter((action) => action.includes("*"))).toEqual([]);
      expect([statement.Resource].flat()).not.toContain("*");
    }
    const roles = Object.values(template.findResources("AWS::IAM::Role"));
    expect(roles.flatMap(({ Properties }) => Properties.ManagedPolicyArns ?? [])).toEqual([]);
  });
});

describe.each(ENVIRONMENT_NAMES)("the schedules in %s", (name) => {
  const template = templates[name].stateless;
  const deadLetterQueue = Object.keys(template.findResources("AWS::SQS::Queue")).find((id) =>
    id.startsWith("Schedules"),
  );

  const schedulesOf = (name: string) =>
    Object.values(template.findResources("AWS::Scheduler::Schedule"))
      .map(({ Properties }) => Properties)
      .filter(({ Target }) => Target.Arn.Ref.startsWith(`${name}FunctionAliaslive`));

  it.each(["reclaim", "repair"])(
    "those of %s name each shard once, 4 in prod and all in dev",
    (run) => {
      const said = schedulesOf(run).map(({ Target }) => JSON.parse(Target.Input).shards);
      expect(said.map(({ length }) => length)).toEqual(name === "prod" ? [4, 4, 4, 4] : [16]);
      expect(said.flat()).toEqual(EVERY_SHARD);
    },
  );

  it.each([1, 4, 16])("may have %i shards each", (shardsPerSchedule) => {
    const { stateless } = stageOf({ name: "", environment: name, settings: { shardsPerSchedule } });
    const schedules = Object.values(
      Template.fromStack(stateless).findResources("AWS::Scheduler::Schedule"),
    );
    const said = schedules.flatMap(({ Properties }) => Properties.Target.Input ?? []);
    const shards = said.map((input: string) => JSON.parse(input).shards);
    expect(shards).toHaveLength((2 * 16) / shardsPerSchedule);
    expect(shards.flat().sort((a, b) => a - b)).toEqual(EVERY_SHARD.flatMap((n) => [n, n]));
  });

  it("work has one", () => {
    expect(schedulesOf("work")).toHaveLength(1);
  });

  it.each(SCHEDULED_FUNCTIONS)("%s starts every minute", (name) => {
    for (const schedule of schedulesOf(name))
      expect(schedule).toMatchObject({ ScheduleExpression: "rate(1 minute)", State: "ENABLED" });
  });

  it("either have executions of their own, or spread over the minute: requests are never kept out by all at once", () => {
    const windows = Object.values(template.findResources("AWS::Scheduler::Schedule")).map(
      ({ Properties }) => Properties.FlexibleTimeWindow,
    );
    const reserved = Object.values(functionsOf(template))
      .map(({ ReservedConcurrentExecutions = 0 }) => ReservedConcurrentExecutions)
      .reduce((sum, count) => sum + count, 0);
    const isReserved = reserved === windows.length;
    expect({ [name]: isReserved }).toEqual({ [name]: name === "prod" });
    const window = isReserved ? { Mode: "OFF" } : { Mode: "FLEXIBLE", MaximumWindowInMinutes: 1 };
    for (const each of windows) expect(each).toEqual(window);
  });

  it.each(SCHEDULED_FUNCTIONS)("a tick of %s that cannot be delivered is kept", (name) => {
    for (const { Target } of schedulesOf(name))
      expect(Target).toMatchObject({
        DeadLetterConfig: { Arn: { "Fn::GetAtt": [deadLetterQueue, "Arn"] } },
        RetryPolicy: { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 60 },
      });
  });

  it.each(SCHEDULED_FUNCTIONS)("a tick of %s that fails is kept, and not tried again", (name) => {
    template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      FunctionName: { Ref: Match.stringLikeRegexp(`^${name}Function`) },
      Qualifier: {
        "Fn::Select": [
          7,
          { "Fn::Split": [":", { Ref: Match.stringLikeRegexp(`^${name}FunctionAliaslive`) }] },
        ],
      },
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: {
        OnFailure: { Destination: { "Fn::GetAtt": [deadLetterQueue, "Arn"] } },
      },
    });
  });

  it("dead letters are encrypted at rest and moved over TLS only", () => {
    template.hasResourceProperties("AWS::SQS::Queue", { SqsManagedSseEnabled: true });
    template.hasResourceProperties("AWS::SQS::QueuePolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: "Deny",
            Action: "sqs:*",
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          }),
        ]),
      },
    });
  });
});

describe.each(ENVIRONMENT_NAMES)("the queue of events in %s", (name) => {
  const template = templates[name].stateless;
  const queues = template.findResources("AWS::SQS::Queue");
  const [queue] = Object.keys(queues).filter((id) => id.startsWith("IntakeQueue"));
  const arn = { "Fn::GetAtt": [queue, "Arn"] };

  it("leads to intake, which names the messages that must come again", () => {
    const [{ Properties } = {}] = Object.values(
      template.findResources("AWS::Lambda::EventSourceMapping", {
        Properties: { EventSourceArn: arn },
      }),
    );
    expect(Properties).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    expect(JSON.stringify(Properties.FunctionName)).toMatch(/intakeFunction.*live/);
  });

  it("gives a message up after five deliveries, of which each outlives the function", () => {
    expect(queues[queue ?? ""]?.Properties).toMatchObject({
      RedrivePolicy: { maxReceiveCount: 5 },
      VisibilityTimeout: (6 * REQUEST_MS_MAX) / 1000,
    });
  });

  it.each([
    ["aws.ec2", { detail: { state: ["terminated"] } }],
    ["aws.autoscaling", { "detail-type": ["EC2 Instance Terminate Successful"] }],
  ])("takes the ends of machines from %s", (source, pattern) => {
    template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { source: [source], ...pattern },
      Targets: [Match.objectLike({ Arn: arn })],
    });
  });
});

describe.each(ENVIRONMENT_NAMES)("the alarms in %s", (name) => {
  const template = templates[name].stateless;
  const alarms = Object.values(template.findResources("AWS::CloudWatch::Alarm")).map(
    ({ Properties }) => Properties,
  );
  const [topic] = Object.keys(template.findResources("AWS::SNS::Topic"));
  const alarm = (id: string) =>
    alarms.find(({ AlarmName }) => AlarmName === `plat-${name}-stateless-${id}`);

  it("tell a topic, whose subscribers are the operator's to choose", () => {
    for (const { AlarmActions } of alarms) expect(AlarmActions).toEqual([{ Ref: topic }]);
    template.resourceCountIs("AWS::SNS::Subscription", 0);
    const [output] = Object.values(template.findOutputs("AlarmTopic"));
    expect(output?.Value).toEqual({ Ref: topic });
  });

  it("are published by the account's own CloudWatch, and over TLS only", () => {
    const [policy] = Object.values(template.findResources("AWS::SNS::TopicPolicy"));
    expect(policy?.Properties.Topics).toEqual([{ Ref: topic }]);
    expect(policy?.Properties.PolicyDocument.Statement).toEqual([
      {
        Sid: "AllowPublishThroughSSLOnly",
        Effect: "Deny",
        Principal: "*",
        Action: "sns:Publish",
        Resource: { Ref: topic },
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      },
      {
        Sid: "AlarmsOfThisAccount",
        Effect: "Allow",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Action: "sns:Publish",
        Resource: { Ref: topic },
        Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
      },
    ]);
  });

  it("take missing data for the best, but that of heartbeats for the worst; that of pools says nothing", () => {
    for (const { AlarmName, TreatMissingData } of alarms) {
      const wanted = AlarmName.includes("NoHeartbeat") ? "breaching" : "notBreaching";
      expect(TreatMissingData).toBe(AlarmName.includes("PoolAbove") ? "ignore" : wanted);
    }
  });

  it("are raised by the first dead letter", () => {
    const [queue] = Object.keys(template.findResources("AWS::SQS::Queue"));
    expect(alarm("DeadLetters")).toMatchObject({
      Namespace: "AWS/SQS",
      MetricName: "ApproximateNumberOfMessagesVisible",
      Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": [queue, "QueueName"] } }],
      Statistic: "Maximum",
      Threshold: 1,
      Period: 60,
      EvaluationPeriods: 1,
    });
  });

  it("are raised by requests that fail for minutes, not by one", () => {
    const [api] = Object.keys(template.findResources("AWS::ApiGatewayV2::Api"));
    expect(alarm("ServerErrors")).toMatchObject({
      Namespace: "AWS/ApiGateway",
      MetricName: "5xx",
      Dimensions: expect.arrayContaining([{ Name: "ApiId", Value: { Ref: api } }]),
      Statistic: "Sum",
      Threshold: 5,
      Period: 300,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
  });

  it("are raised where the account has no executions left for requests", () => {
    expect(alarm("Throttles")).toMatchObject({
      Namespace: "AWS/Lambda",
      MetricName: "Throttles",
      Dimensions: [
        { Name: "FunctionName", Value: { Ref: expect.stringMatching(/^assignFunction/) } },
      ],
      Statistic: "Sum",
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
    });
  });

  /** Returns true if the alarm is raised after an hour with this many failed runs in these minutes. */
  function isRaised(id: string, failures: Readonly<Record<number, number>>): boolean {
    const { Statistic, Threshold, Period, EvaluationPeriods, DatapointsToAlarm } = alarm(id) ?? {};
    expect(Statistic).toBe("Sum");
    const points = Array.from({ length: EvaluationPeriods }, (_, point) =>
      Object.entries(failures)
        .filter(([minute]) => Math.floor((60 * Number(minute)) / Period) === point)
        .reduce((sum, [, count]) => sum + count, 0),
    );
    const breaching = points.filter((sum) => sum >= Threshold).length;
    return breaching >= (DatapointsToAlarm ?? EvaluationPeriods);
  }

  it("are raised by passes that fail in several minutes of an hour, however many fail in one", () => {
    const all = 9;
    expect(isRaised("RunFailures", { 7: all })).toBe(false);
    expect(isRaised("RunFailures", { 7: all, 8: all })).toBe(false);
    expect(isRaised("RunFailures", { 0: 1, 29: 1 })).toBe(false);
    expect(isRaised("RunFailures", { 0: 1, 29: 1, 59: 1 })).toBe(true);
    const { Period, EvaluationPeriods } = alarm("RunFailures") ?? {};
    expect(Period * EvaluationPeriods).toBe(3_600);
  });

  it("count every scheduled run that goes on after a failure", () => {
    const { Namespace, MetricName } = alarm("RunFailures") ?? {};
    const filters = Object.values(template.findResources("AWS::Logs::MetricFilter"))
      .map(({ Properties }) => Properties)
      .filter(({ MetricTransformations }) => MetricTransformations[0].MetricName === MetricName);
    expect(filters.map(({ LogGroupName }) => LogGroupName.Ref).sort()).toEqual(
      [...SCHEDULED_FUNCTIONS].sort().map((name) => expect.stringMatching(`^${name}Logs`)),
    );
    for (const { FilterPattern, MetricTransformations } of filters) {
      expect(FilterPattern).toBe("{ $.failed > 0 }");
      expect(MetricTransformations).toEqual([
        { MetricNamespace: Namespace, MetricName, MetricValue: "1" },
      ]);
    }
  });
});

describe.each(ENVIRONMENT_NAMES)("a deployment of %s", (name) => {
  it("tells the endpoint of the API, the name of the table and the topic of the alarms", () => {
    expect(Object.keys(templates[name].stateful.findOutputs("TableName"))).toHaveLength(1);
    for (const output of ["Endpoint", "AlarmTopic"])
      expect(Object.keys(templates[name].stateless.findOutputs(output))).toHaveLength(1);
  });

  it("tells the endpoint without a slash at its end, so that a path can follow", () => {
    const { Endpoint } = templates[name].stateless.findOutputs("Endpoint");
    expect(Endpoint?.Value).toEqual({
      "Fn::GetAtt": [expect.stringMatching(/^ApiHttpApi/), "ApiEndpoint"],
    });
  });

  it("is bound to no account and no region", () => {
    const { account, region } = stages[name];
    expect({ account, region }).toEqual({ account: undefined, region: undefined });
  });
});

describe("the API with JSON Web Tokens", () => {
  const template = Template.fromStack(
    stageOf({ name: "jwt", environment: "prod", settings: { access: ACCESS_BY_JWT } }).stateless,
  );

  it("asks every route for a token of the issuer and one of the audiences", () => {
    expect(openKeys(template)).toEqual([]);
    expect(bodyOf(template).components.securitySchemes.caller).toEqual({
      type: "oauth2",
      flows: {},
      "x-amazon-apigateway-authorizer": {
        type: "jwt",
        jwtConfiguration: { issuer: ACCESS_BY_JWT.issuer, audience: ACCESS_BY_JWT.audience },
        identitySource: "$request.header.Authorization",
      },
    });
  });

  it("tells each function of a route the claim with the roles, and the access log the subject", () => {
    const functions = functionsOf(template);
    for (const name of HTTP_FUNCTIONS)
      expect(functions[name]?.Environment.Variables).toMatchObject({
        ACCESS: "jwt",
        ROLES_CLAIM: ACCESS_BY_JWT.rolesClaim,
        TENANT_CLAIM: ACCESS_BY_JWT.tenantClaim,
      });
    expect(accessLogOf(template).caller).toBe(
      "https://login.example.com#$context.authorizer.claims.sub",
    );
  });

  it("has no managed policies, because IAM decides nothing", () => {
    template.resourceCountIs("AWS::IAM::ManagedPolicy", 0);
  });
});

describe("the API with tokens", () => {
  const template = Template.fromStack(
    stageOf({ name: "token", environment: "prod", settings: { access: ACCESS_BY_TOKEN } })
      .stateless,
  );

  it("asks the function authorize about the Authorization header of every route, and keeps its word for a minute", () => {
    expect(openKeys(template)).toEqual([]);
    const { caller } = bodyOf(template).components.securitySchemes;
    expect(caller).toMatchObject({
      type: "apiKey",
      "x-amazon-apigateway-authorizer": {
        type: "request",
        authorizerPayloadFormatVersion: "2.0",
        authorizerResultTtlInSeconds: 60,
        enableSimpleResponses: true,
        identitySource: "$request.header.Authorization",
      },
    });
    expect(JSON.stringify(caller)).toMatch(/"authorizeFunction\w+","Arn"\]\},":live\/invocations"/);
  });

  it("lets only its authorizers ask authorize", () => {
    const permissions = Object.entries(template.findResources("AWS::Lambda::Permission"));
    const sources = permissions
      .filter(([id]) => id.startsWith("authorize"))
      .map(([, { Properties }]) => JSON.stringify(Properties.SourceArn));
    expect(sources).toEqual([expect.stringContaining('"/authorizers/*"')]);
  });

  it("gives authorize the right to read one secret, its own log, and nothing else", () => {
    const statements = statementsOf(template, "authorize");
    expect(statements.flatMap(({ Action }) => [Action].flat())).toEqual([
      "logs:CreateLogStream",
      "logs:PutLogEvents",
      "secretsmanager:GetSecretValue",
    ]);
    const { Resource } = statements.at(-1) ?? {};
    expect(JSON.stringify(Resource)).toMatch(/:secret:plat\/tokens-\?{6}"/);
    const others = statementsOf(template, "").filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith("secretsmanager:")),
    );
    expect(others).toHaveLength(1);
  });

  it("serves NetBox's dialect, whose clients send tokens, by one function", () => {
    const routes = bodyRoutes(template).filter(({ key }) => key.includes("/api/"));
    expect(routes.map(({ key }) => key).sort()).toEqual(
      ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"].map(
        (method) => `${method} /api/{path+}`,
      ),
    );
    for (const { uri } of routes) expect(uri).toContain('"netboxFunction');
    expect(functionsOf(template).netbox?.Environment.Variables).toMatchObject({ ACCESS: "token" });
  });

  it("tells the access log the name of the holder", () => {
    expect(accessLogOf(template).caller).toBe("$context.authorizer.principal");
  });
});

describe("the API with a domain name of its own", () => {
  const { hostedZoneId, ...elsewhere } = DOMAIN;
  const templateOf = (domain: object) =>
    Template.fromStack(stageOf({ name: "", environment: "prod", settings: { domain } }).stateless);

  it("is reached by this name only, over TLS 1.2", () => {
    const template = templateOf(DOMAIN);
    expect(bodyOf(template).servers).toEqual([
      {
        url: "https://plat.example.com",
        "x-amazon-apigateway-endpoint-configuration": { disableExecuteApiEndpoint: true },
      },
    ]);
    template.hasResourceProperties("AWS::ApiGatewayV2::DomainName", {
      DomainName: DOMAIN.name,
      DomainNameConfigurations: [
        {
          CertificateArn: DOMAIN.certificateArn,
          EndpointType: "REGIONAL",
          SecurityPolicy: "TLS_1_2",
        },
      ],
    });
    template.hasResourceProperties("AWS::ApiGatewayV2::ApiMapping", { Stage: "$default" });
    expect(template.findOutputs("Endpoint").Endpoint?.Value).toBe("https://plat.example.com");
  });

  it("has its record in the hosted zone, or else tells where a record must point", () => {
    const [name] = Object.keys(templateOf(DOMAIN).findResources("AWS::ApiGatewayV2::DomainName"));
    const target = { "Fn::GetAtt": [name, "RegionalDomainName"] };
    templateOf(DOMAIN).hasResourceProperties("AWS::Route53::RecordSet", {
      HostedZoneId: hostedZoneId,
      Name: DOMAIN.name,
      Type: "A",
      AliasTarget: Match.objectLike({ DNSName: target }),
    });
    templateOf(elsewhere).resourceCountIs("AWS::Route53::RecordSet", 0);
    expect(templateOf(elsewhere).findOutputs("DomainTarget").DomainTarget?.Value).toEqual(target);
  });
});

function accessLogOf(template: Template): Readonly<Record<string, string>> {
  const [stage] = Object.values(template.findResources("AWS::ApiGatewayV2::Stage"));
  return JSON.parse(stage?.Properties.AccessLogSettings.Format);
}

/** Returns the URI of the integration of a route in the template. */
const servedBy = (template: Template, routeKey: string): string | undefined =>
  bodyRoutes(template).find(({ key }) => key === routeKey)?.uri;

interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
}

function keySchema(keys: { readonly partitionKey: string; readonly sortKey: string }) {
  return [
    { AttributeName: keys.partitionKey, KeyType: "HASH" },
    { AttributeName: keys.sortKey, KeyType: "RANGE" },
  ];
}

function statementsOf(template: Template, name: string): Statement[] {
  return Object.entries(template.findResources("AWS::IAM::Policy"))
    .filter(([id]) => name === "" || id.startsWith(`${name}RoleDefaultPolicy`))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
}
