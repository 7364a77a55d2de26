import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { receiveBody } from "../src/local/http-server.ts";
import type { AccessVariables } from "./access-log.ts";
import { answerOf, type GatewayAnswer } from "./answer.ts";
import { identityOf } from "./caller-identity.ts";
import type { Caller } from "./callers.ts";
import type { DeployedRoute, Deployment } from "./deployment.ts";
import { decide, type Statement } from "./iam.ts";
import type { Invoked, Lambda } from "./lambda.ts";
import { apiMayInvoke } from "./permissions.ts";
import type { DeployedKey, DeployedRest } from "./rest-api.ts";
import { type RestAuthorized, RestAuthorizer } from "./rest-authorizer.ts";
import { restEvent } from "./rest-event.ts";
import { pathOf, routeFor } from "./routing.ts";
import { signerOf } from "./signature.ts";
import type { Throttles } from "./throttle.ts";

export interface RestGatewayProps {
  readonly deployment: Deployment;
  readonly lambda: Lambda;
  readonly callers: readonly Caller[];
  readonly vpcEndpointId?: string;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html */
const INTEGRATION_MS_MAX = 29_000;
const BODY_LIMITS = { bytesMax: 10_485_760, discardedBytesMax: 41_943_040 };

/** API Gateway's own answers of a REST API. */
const OWN = {
  "access denied": [403, "User is not authorized to access this resource"],
  "explicit deny": [403, "User is not authorized to access this resource with an explicit deny"],
  "missing token": [403, "Missing Authentication Token"],
  forbidden: [403, "Forbidden"],
  unauthorized: [401, "Unauthorized"],
  "too large": [413, "Request Entity Too Large"],
  throttled: [429, "Too Many Requests"],
  "quota exceeded": [429, "Limit Exceeded"],
  failed: [500, "Internal server error"],
  "bad answer": [502, "Internal server error"],
  "timed out": [504, "Endpoint request timed out"],
} as const;

type Own = keyof typeof OWN;

/**
 * Plays a private REST API, whose requests come through one VPC endpoint. It decides over the resource policy and the
 * policies of the caller as within one account
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-authorization-flow.html).
 */
export class RestGateway {
  readonly #props: RestGatewayProps;
  readonly #rest: DeployedRest;
  readonly #authorizer: RestAuthorizer;
  readonly #throttles: Throttles;
  readonly #used = new Map<string, number>();

  constructor(props: RestGatewayProps, rest: DeployedRest, throttles: Throttles) {
    this.#props = props;
    this.#rest = rest;
    this.#throttles = throttles;
    this.#authorizer = new RestAuthorizer(props);
  }

  /** @param known gets what the access log can tell of the request */
  async answer(
    request: IncomingMessage,
    requestId: string,
    known: AccessVariables,
  ): Promise<GatewayAnswer> {
    const { deployment, lambda } = this.#props;
    const { stage, routes } = deployment.api;
    const body = await receiveBody(request, BODY_LIMITS);
    if (!body) return own("too large");
    const { method = "", url = "" } = request;
    const [whole = "", ...query] = url.split("?");
    const [, named, ...below] = whole.split("/");
    if (named !== stage) return own("forbidden");
    const path = `/${below.join("/")}`;
    const route = routeFor(routes, method, path.split("/"));
    if (!route) return own("missing token");
    known.httpMethod = method;
    known.resourcePath = pathOf(route.key);
    const authorized = await this.#authorized(route, request, `${method}${path}`, body);
    if (typeof authorized === "string") return own(authorized);
    known["identity.userArn"] = authorized.identity?.userArn;
    known["authorizer.principal"] = authorized.context?.principal;
    const key = this.#rest.apiKeys.find(({ value }) => value === request.headers["x-api-key"]);
    known["identity.apiKeyId"] = key?.id;
    if (this.#rest.keyed.has(route.key) && !key) return own("forbidden");
    const refused = this.#limited(route, method, key);
    if (refused) return own(refused);
    if (!apiMayInvoke(deployment, route.functionArn, `${stage}/${method}${path}`))
      return own("failed");
    const event = restEvent(request, deployment, {
      requestId,
      route,
      path,
      whole,
      rawQueryString: query.join("?"),
      body,
      vpcEndpointId: this.#vpcEndpointId,
      apiKeyId: key?.id,
      ...authorized,
    });
    const late = new AbortController();
    return Promise.race([
      lambda.invoke(route.functionArn, JSON.stringify(event)).then(restAnswerOf),
      sleep(INTEGRATION_MS_MAX, own("timed out"), { signal: late.signal }),
    ]).finally(() => late.abort());
  }

  get #vpcEndpointId(): string {
    return this.#props.vpcEndpointId ?? this.#rest.vpcEndpointIds[0] ?? "";
  }

  async #authorized(
    { authorizer }: DeployedRoute,
    request: IncomingMessage,
    call: string,
    body: Buffer,
  ): Promise<RestAuthorized | Own> {
    const { deployment, callers } = this.#props;
    const { account, region, api } = deployment;
    const resource = `arn:aws:execute-api:${region}:${account}:${api.id}/${api.stage}/${call}`;
    const verdict = (own: readonly Statement[]) =>
      decide([...this.#rest.policy, ...own], {
        action: "execute-api:Invoke",
        resource,
        context: { "aws:SourceVpce": this.#vpcEndpointId },
      });
    if (verdict([]) === "denied") return "explicit deny";
    switch (authorizer.type) {
      case "none":
        return verdict([]) === "allowed" ? {} : "access denied";
      case "iam": {
        if (request.headers.authorization === undefined) return "missing token";
        const caller = await signerOf(request, body, region, callers);
        if (!caller) return "forbidden";
        if (verdict(caller.statements) !== "allowed") return "access denied";
        return { identity: identityOf(caller, account) };
      }
      case "lambda": {
        const said = await this.#authorizer.askAbout(authorizer, request, resource);
        if (typeof said === "string") return said;
        const decision = verdict(said.statements);
        if (decision !== "allowed")
          return decision === "denied" ? "explicit deny" : "access denied";
        return { context: said.context };
      }
      case "jwt":
        throw new Error("a REST API verifies no JSON Web Tokens");
    }
  }

  /** Returns the reason why a request is one too many for its method, or for the plan of its key. */
  #limited({ key: routeKey }: DeployedRoute, method: string, key: DeployedKey | undefined) {
    const { api } = this.#props.deployment;
    const named = routeKey.replace(/^ANY/, method);
    const ofMethod = api.throttles.get(named) ?? api;
    if (!this.#throttles.take(named, ofMethod)) return "throttled";
    if (!key) return undefined;
    const ofRoute = key.routes.get(named);
    if (ofRoute && !this.#throttles.take(`${key.id} ${named}`, ofRoute)) return "throttled";
    if (!this.#throttles.take(key.id, key)) return "throttled";
    const used = (this.#used.get(key.id) ?? 0) + 1;
    this.#used.set(key.id, used);
    return key.quota !== undefined && used > key.quota ? "quota exceeded" : undefined;
  }
}

function own(name: Own): GatewayAnswer {
  const [status, message] = OWN[name];
  const body = Buffer.from(JSON.stringify({ message }));
  return { status, headers: { "content-type": "application/json" }, body };
}

/**
 * Converts a function's answer as a REST API does. A function that fails or answers in another form is a 502
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/handle-errors-in-lambda-integration.html).
 */
function restAnswerOf(invoked: Invoked): GatewayAnswer {
  if (invoked === "too large") return own("too large");
  if (invoked === "throttled") return own("failed");
  if ("error" in invoked) return own("bad answer");
  const { statusCode } = JSON.parse(invoked.payload) ?? {};
  return Number.isInteger(statusCode) ? answerOf(invoked) : own("bad answer");
}
