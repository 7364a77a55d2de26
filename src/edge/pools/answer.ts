import type { Written } from "../../allocator/admin/written.ts";
import { poolOf } from "../../contract/answers/pool.ts";
import type { Pool } from "../../domain/pool.ts";
import type { Answer } from "../http/event.ts";
import { namedList } from "../http/named-list.ts";
import { type DryRun, etagOf, type Ignoring, ignored, written } from "../http/write-answer.ts";

export function poolAnswer(pool: Pool): Answer {
  return { status: 200, headers: etagOf(pool), body: poolOf(pool) };
}

export const poolPutAnswer = (
  { value, ...result }: Written<Pool>,
  _requestId: string,
  request: DryRun & Ignoring,
): Answer =>
  written({ ...result, value }, request, { ...poolOf(value), ...ignored(request) }, value.revision);

export const poolList = namedList<Pool>("pools", poolOf);
