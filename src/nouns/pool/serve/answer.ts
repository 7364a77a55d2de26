import type { AnswerOf } from "../../../api/http/event.ts";
import { namedList } from "../../../api/http/named-list.ts";
import { type DryRun, etagOf, type Ignoring, ignored, written } from "../../../api/http/write.ts";
import type { Written } from "../../../kernel/core/written.ts";
import { poolOf } from "../contract/answer.ts";
import type { Pool } from "../pool.ts";

export function poolAnswer(pool: Pool): AnswerOf<"GET /v1/pools/{name}"> {
  return { status: 200, headers: etagOf(pool), body: poolOf(pool) };
}

export const poolPutAnswer = (
  { value, ...result }: Written<Pool>,
  _requestId: string,
  request: DryRun & Ignoring,
): AnswerOf<"PUT /v1/pools/{name}"> =>
  written({ ...result, value }, request, { ...poolOf(value), ...ignored(request) }, value.revision);

export const poolListAnswer = namedList("pools", (pool: Pool) => poolOf(pool));
