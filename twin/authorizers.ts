import type { IncomingMessage } from "node:http";
import { identityOf } from "./caller-identity.ts";
import type { Caller } from "./callers.ts";
import type { DeployedRoute, Deployment } from "./deployment.ts";
import { decide } from "./iam.ts";
import { JwtAuthorizer, type JwtAuthorizerProps } from "./jwt-authorizer.ts";
import type { Lambda } from "./lambda.ts";
import { LambdaAuthorizer, type LambdaAuthorizerProps } from "./lambda-authorizer.ts";
import { signerOf } from "./signature.ts";

/** A request before a function sees it. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly method: string;
  /** The decoded path. */
  readonly path: string;
  readonly body: Buffer;
}

/** The authorizer's part of `requestContext`, or the status with which API Gateway rejects the request. */
export type Verdict = { readonly authorizer?: Authorized } | { readonly rejected: 401 | 403 | 500 };

/** The caller, by the way in which it was authorized. */
interface Authorized {
  readonly iam?: ReturnType<typeof identityOf>;
  readonly jwt?: { readonly claims: Readonly<Record<string, unknown>>; readonly scopes: null };
  readonly lambda?: Readonly<Record<string, unknown>>;
}

export interface AuthorizersProps {
  readonly deployment: Deployment;
  readonly callers: readonly Caller[];
  readonly lambda: Lambda;
}

/** Authorizes requests as API Gateway does, by the authorizer of each route. */
export class Authorizers {
  readonly #props: AuthorizersProps;
  readonly #byIssuer = new Map<string, JwtAuthorizer>();
  readonly #byId = new Map<string, LambdaAuthorizer>();

  constructor(props: AuthorizersProps) {
    this.#props = props;
  }

  async verdictOn({ key, authorizer }: DeployedRoute, asked: Asked): Promise<Verdict> {
    switch (authorizer.type) {
      case "none":
        return {};
      case "iam":
        return this.#byIam(asked);
      case "jwt":
        return this.#byJwt(authorizer, asked);
      case "lambda":
        return this.#byLambda(authorizer, key, asked);
    }
  }

  async #byJwt(props: JwtAuthorizerProps, { request }: Asked): Promise<Verdict> {
    const known = this.#byIssuer.get(props.issuer) ?? new JwtAuthorizer(props);
    this.#byIssuer.set(props.issuer, known);
    const claims = await known.claimsOf(request.headers.authorization);
    return claims ? { authorizer: { jwt: { claims, scopes: null } } } : { rejected: 401 };
  }

  async #byLambda(props: LambdaAuthorizerProps, key: string, { request }: Asked): Promise<Verdict> {
    const { deployment, lambda } = this.#props;
    const known = this.#byId.get(props.id) ?? new LambdaAuthorizer(props, deployment, lambda);
    this.#byId.set(props.id, known);
    const context = await known.contextOf(request, key);
    return typeof context === "number"
      ? { rejected: context }
      : { authorizer: { lambda: context } };
  }

  async #byIam({ request, method, path, body }: Asked): Promise<Verdict> {
    const { deployment, callers } = this.#props;
    const { account, region, api } = deployment;
    const caller = await signerOf(request, body, region, callers);
    if (!caller) return { rejected: 403 };
    const resource = `arn:aws:execute-api:${region}:${account}:${api.id}/${api.stage}/${method}${path}`;
    const decision = decide(caller.statements, { action: "execute-api:Invoke", resource });
    if (decision !== "allowed") return { rejected: 403 };
    return { authorizer: { iam: identityOf(caller, account) } };
  }
}
