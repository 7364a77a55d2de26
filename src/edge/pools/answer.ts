import type { Written } from "../../allocator/admin/written.ts";
import { poolOf } from "../../contract/answers/pool.ts";
import type { Pool } from "../../domain/pool.ts";
import type { AnswerOf } from "../http/event.ts";
import { namedList } from "../http/named-list.ts";
import { type DryRun, etagOf, type Ignoring, ignored, written } from "../http/write.ts";

export function poolAnswer(pool: Pool): AnswerOf<"GET /v1/pools/{name}"> {
  return { status: 200, headers: etagOf(pool), body: poolOf(pool) };
}

export const poolPutAnswer = (
  { value, ...result }: Written<Pool>,
  _requestId: string,
  request: DryRun & Ignoring,
): AnswerOf<"PUT /v1/pools/{name}"> =>
  written({ ...result, value }, request, { ...poolOf(value), ...ignored(request) }, value.revision);

export const poolList = namedList("pools", (pool: Pool) => poolOf(pool));
