/** `plat-ipam/client`: the API of Plat as a typed client. */

export type { BatchResult } from "./batches.ts";
export { clientOver, type PlatClient, type PlatOptions, platClient } from "./client.ts";
export type { BatchedRequest } from "./cut-batches.ts";
export {
  ApiError,
  found,
  InvalidCall,
  isRejection,
  mayBeDone,
  NotPlat,
  NotSent,
  PlatError,
  type Problem,
  type ProblemCode,
  Unanswered,
} from "./errors.ts";
export type { components } from "./generated/schema.ts";
export type { World } from "./http.ts";
export type {
  Answer,
  Done,
  EveryCall,
  OperationName,
  Operations,
  Paged,
  Parameters,
} from "./operations.ts";
export { type Page, pagesOf } from "./pages.ts";
export {
  type Call,
  isPathPart,
  type Path,
  path,
  type Query,
  type Reply,
  type Request,
} from "./request.ts";
export type { Access, AwsCredentials, Fetch } from "./signing.ts";
