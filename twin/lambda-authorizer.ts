import type { IncomingMessage } from "node:http";
import type { Deployment } from "./deployment.ts";
import type { Lambda } from "./lambda.ts";
import { apiMayInvoke } from "./permissions.ts";

export interface LambdaAuthorizerProps {
  readonly id: string;
  readonly functionArn: string;
  readonly ttlSeconds: number;
}

/** The simple response of a Lambda authorizer. */
interface Simple {
  readonly isAuthorized: boolean;
  readonly context?: Readonly<Record<string, unknown>>;
}

/**
 * Asks a function about the Authorization header of a request, and keeps its answer for a time. A request without the
 * header is 401, one that the function does not authorize is 403, and a function that fails is 500
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-lambda-authorizer.html).
 */
export class LambdaAuthorizer {
  readonly #props: LambdaAuthorizerProps;
  readonly #deployment: Deployment;
  readonly #lambda: Lambda;
  readonly #kept = new Map<string, { readonly answer: Simple; readonly untilMs: number }>();

  constructor(props: LambdaAuthorizerProps, deployment: Deployment, lambda: Lambda) {
    this.#props = props;
    this.#deployment = deployment;
    this.#lambda = lambda;
  }

  /** Returns the context that the function gives to the request, or the status with which API Gateway rejects it. */
  async contextOf(
    request: IncomingMessage,
    routeKey: string,
  ): Promise<NonNullable<Simple["context"]> | 401 | 403 | 500> {
    const { authorization } = request.headers;
    if (!authorization) return 401;
    const kept = this.#kept.get(authorization);
    const answer =
      kept && kept.untilMs > Date.now()
        ? kept.answer
        : await this.#ask(authorization, request, routeKey);
    if (answer === undefined) return 500;
    const untilMs =
      kept?.answer === answer ? kept.untilMs : Date.now() + this.#props.ttlSeconds * 1_000;
    this.#kept.set(authorization, { answer, untilMs });
    return answer.isAuthorized ? (answer.context ?? {}) : 403;
  }

  async #ask(
    authorization: string,
    { headers }: IncomingMessage,
    routeKey: string,
  ): Promise<Simple | undefined> {
    const { id, functionArn } = this.#props;
    if (!apiMayInvoke(this.#deployment, functionArn, `authorizers/${id}`)) return undefined;
    const event = {
      version: "2.0",
      type: "REQUEST",
      identitySource: [authorization],
      routeKey,
      headers,
    };
    const invoked = await this.#lambda.invoke(functionArn, JSON.stringify(event));
    if (typeof invoked === "string" || "error" in invoked) return undefined;
    const answer = JSON.parse(invoked.payload);
    return typeof answer?.isAuthorized === "boolean" ? answer : undefined;
  }
}
