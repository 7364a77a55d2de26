import type * as v from "valibot";
import type { ProblemCode } from "../schema/problem.ts";
import type { Tag } from "./words.ts";

/**
 * The Lambda function of each route; the CDK, the local server and the OpenAPI document use this list. Routes share
 * a function where they need the same rights to the table (`cdk/access.ts`).
 */
export type FunctionName =
  | "assign"
  | "release"
  | "amend"
  | "affinities"
  | "read"
  | "survey"
  | "configure"
  | "register"
  | "openapi";

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A route of API Gateway's HTTP API: `{name}` stands for one path segment, `{name+}` for all that are left. */
export interface Route {
  readonly method: Exclude<Method, "HEAD">;
  readonly path: string;
  readonly function: FunctionName;
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** The parameters of its query; absent if the route ignores the query. */
  readonly query?: v.ObjectEntries;
  readonly headers?: readonly ("If-Match" | "If-None-Match" | "Idempotency-Key")[];
  /** The body in each of its forms, the first one usual. */
  readonly body?: readonly v.GenericSchema[];
  /** May the body also be YAML? */
  readonly yaml?: true;
  /** The answer by its status. */
  readonly answers: Readonly<Record<number, v.GenericSchema | undefined>>;
  /** The problem codes that it can return beyond those of every request. */
  readonly rejections: readonly ProblemCode[];
}

/** The methods that a route serves: HEAD wherever GET, as a route of its own, so that a policy can tell the two apart. */
export const methodsOf = ({ method }: Route): readonly Method[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

/** Problem codes of a write with preconditions. */
export const CHANGED: readonly ProblemCode[] = ["precondition_failed", "precondition_required"];
