import type {
  APIGatewayEventRequestContextIAMAuthorizer,
  APIGatewayEventRequestContextJWTAuthorizer,
  APIGatewayEventRequestContextV2,
  APIGatewayProxyEventV2WithRequestContext,
} from "aws-lambda";
import { type Actor, UNKNOWN_CALLER } from "../../base/actor.ts";
import { ATTRIBUTE_VALUE_CHARACTERS_MAX } from "../../base/limits.ts";
import { TENANT_ATTRIBUTE } from "../../base/principal.ts";
import { formatTime, type Timed } from "../../base/time.ts";
import type { Grant } from "../../contract/roles.ts";
import type { DeclaredAnswer, RouteKey } from "../../contract/routes.ts";
import { type FieldProblem, Problem } from "../schema/problem.ts";
import { shortened } from "../schema/schema.ts";

/**
 * A request as API Gateway's HTTP API passes it (payload format 2.0). Header names are in lower case, the path is
 * decoded, and the caller is present as the authorizer of the route names it. `npm start` has no callers.
 */
export type Event = APIGatewayProxyEventV2WithRequestContext<
  APIGatewayEventRequestContextV2 & {
    readonly authorizer?: {
      readonly iam?: Pick<IamCaller, "userArn">;
      readonly jwt?: Pick<JwtCaller, "claims">;
      readonly lambda?: LambdaCaller;
      /** Present where the environment names the tenants of its callers: a function sets it from the token. */
      readonly tenant?: NamedTenant;
      /** The roles of a caller with a token. Absent where IAM, or the gate of a local server, has decided. */
      readonly grants?: readonly Grant[];
    };
  }
>;

type IamCaller = APIGatewayEventRequestContextIAMAuthorizer["iam"];
/** The tenant of a caller; without a name the token names none. */
export interface NamedTenant {
  readonly name?: string;
}

/** The caller as the Lambda authorizer names it (`src/authorize`). */
export interface LambdaCaller {
  readonly principal: string;
  /** The roles in one text, as in a claim. */
  readonly roles: string;
  /** Present if the token names its tenant. */
  readonly tenant?: string;
}
type JwtCaller = APIGatewayEventRequestContextJWTAuthorizer["jwt"];

/** An answer as it is declared for a route: a schema stands for each status. */
export type AnswerOf<Key extends RouteKey> = Pick<HttpAnswer, "headers" | "location"> &
  DeclaredAnswer<Key>;

/** The body of the answer of a route that succeeds, if that has one form. */
export type BodyOf<Key extends RouteKey> = (AnswerOf<Key> & {
  readonly status: 200;
  readonly body: object;
})["body"];

/** Returns a value with its times, the numbers whose names end in `Ms`, as texts under the names without it. */
export const timed = <T extends object>(value: T): Timed<T> =>
  Object.fromEntries(
    Object.entries(value).map(([name, field]) =>
      name.endsWith("Ms") && typeof field === "number"
        ? [name.slice(0, -2), formatTime(field)]
        : [name, field],
    ),
  ) as Timed<T>;

/**
 * The type of `timed` for a part of an answer. A field that the value has and the answer lacks is a type error, and so is one of the
 * answer that the value lacks. So a value is spread, not listed by field.
 */
export type Teller<Told> = <Value extends object>(
  value: Value & Alike<Timed<Value>, Told>,
) => Timed<Value>;

/** Anything, if two types have the same fields; otherwise what no value is. */
type Alike<A, B> = Record<Exclude<keyof A, keyof B> | Exclude<keyof B, keyof A>, never>;

export interface HttpAnswer {
  readonly status: number;
  /** Absent if the status allows no body. */
  readonly body: object | undefined;
  /** True if the body is an array that is sent as NDJSON: each of its values is a line. */
  readonly lines?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** The path of the created resource, without its space, such as `/v1/jobs/1`. */
  readonly location?: string;
}

/** Returns the principal that sent a request: the ARN of an IAM user or of a role's session. `npm start` knows no principals. */
export const principalOf = ({ requestContext }: Event): string | undefined =>
  requestContext.authorizer?.iam?.userArn;

/** Returns the principal as an allocation keeps it. */
export function assignedBy(event: Event): { readonly assignedBy?: string } {
  const principal = principalOf(event);
  return principal === undefined ? {} : { assignedBy: principal };
}

/** Returns who acts in a request, as the written items name it. */
export const actorOf = (event: Event): Actor => ({
  principal: principalOf(event) ?? UNKNOWN_CALLER,
  requestId: event.requestContext.requestId,
  sourceIp: event.requestContext.http.sourceIp,
});

type Attributes = Readonly<Record<string, string>>;

/** Returns the tenant in a claim. A claim that is no name of a tenant, such as a list, names none. */
export function tenantInClaim(claim: unknown): NamedTenant {
  const isName =
    typeof claim === "string" &&
    /^[^[\p{C}][^\p{C}]*$/u.test(claim) &&
    claim.length <= ATTRIBUTE_VALUE_CHARACTERS_MAX;
  return isName ? { name: claim } : {};
}

/**
 * Returns the attributes of a request with the tenant that the environment names for its caller. Where the environment names the
 * tenants, a caller cannot act for another one, and a caller without a tenant for none.
 *
 * @param field the field of the tenant, for the problem
 */
export function withTenant(
  event: Event,
  attributes: Attributes,
  field = `attributes.${TENANT_ATTRIBUTE}`,
): Attributes {
  const tenant = event.requestContext.authorizer?.tenant;
  if (!tenant) return attributes;
  const asked = attributes[TENANT_ATTRIBUTE];
  if (asked !== undefined && asked !== tenant.name) throw mismatch(tenant, field, asked);
  return tenant.name === undefined
    ? attributes
    : { ...attributes, [TENANT_ATTRIBUTE]: tenant.name };
}

function mismatch({ name }: NamedTenant, field: string, asked: string): Problem {
  const whose = name === undefined ? "the token names no tenant" : `the token names ${name}`;
  const fault: FieldProblem = {
    field,
    value: shortened(asked),
    problem: `must be absent, or the tenant of the caller; ${whose}`,
  };
  return new Problem("tenant_mismatch", `${fault.field} ${fault.problem}.`, { fields: [fault] });
}
