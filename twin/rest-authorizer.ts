import type { IncomingMessage } from "node:http";
import type { identityOf } from "./caller-identity.ts";
import type { Deployment } from "./deployment.ts";
import type { Statement } from "./iam.ts";
import type { Lambda } from "./lambda.ts";
import type { LambdaAuthorizerProps } from "./lambda-authorizer.ts";
import { apiMayInvoke } from "./permissions.ts";

/** The caller of an authorized request, as the event names it; nobody if the method asks for none. */
export interface RestAuthorized {
  readonly identity?: ReturnType<typeof identityOf>;
  /** The words of the Lambda authorizer about the caller. */
  readonly context?: Readonly<Record<string, unknown>>;
}

interface Said {
  readonly statements: readonly Statement[];
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * Asks a function about the Authorization header of a request to a REST API, and keeps the policy that it returns for a
 * time. The policy then decides over other calls with this header too
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html).
 */
export class RestAuthorizer {
  readonly #deployment: Deployment;
  readonly #lambda: Lambda;
  readonly #kept = new Map<string, { readonly said: Said; readonly untilMs: number }>();

  constructor({
    deployment,
    lambda,
  }: { readonly deployment: Deployment; readonly lambda: Lambda }) {
    this.#deployment = deployment;
    this.#lambda = lambda;
  }

  async askAbout(
    { functionArn, id, ttlSeconds }: LambdaAuthorizerProps,
    { headers }: IncomingMessage,
    methodArn: string,
  ): Promise<Said | "unauthorized" | "failed"> {
    const { authorization } = headers;
    if (!authorization) return "unauthorized";
    const kept = this.#kept.get(authorization);
    if (kept && kept.untilMs > Date.now()) return kept.said;
    if (!apiMayInvoke(this.#deployment, functionArn, `authorizers/${id}`)) return "failed";
    const event = { type: "REQUEST", methodArn, headers: { Authorization: authorization } };
    const invoked = await this.#lambda.invoke(functionArn, JSON.stringify(event));
    if (typeof invoked === "string" || "error" in invoked) return "failed";
    const { principalId, policyDocument, context = {} } = JSON.parse(invoked.payload) ?? {};
    if (principalId === undefined || !policyDocument) return "failed";
    const said = { statements: policyDocument.Statement, context: { ...context, principalId } };
    this.#kept.set(authorization, { said, untilMs: Date.now() + ttlSeconds * 1_000 });
    return said;
  }
}
