import { parseBody } from "../../../api/http/body.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { namedList } from "../../../api/http/named-list.ts";
import { parseNamedWrite } from "../../../api/http/parameters.ts";
import { type DryRun, deleted, etagOf, parseIfMatch, written } from "../../../api/http/write.ts";
import type { Written } from "../../../kernel/core/written.ts";
import { quotaOf } from "../contract/answer.ts";
import { quotaBody, quotaSpec } from "../contract/request.ts";
import type { QuotaUsage } from "../operations/quota-usage.ts";
import type { Quota } from "../quota.ts";

export function parseQuotaPut(event: Event) {
  const input = parseBody(event, quotaBody);
  const { name, ...fields } = input;
  const named = parseNamedWrite(
    event,
    name === undefined ? undefined : { field: "name", value: name },
  );
  const match = parseIfMatch(event);
  return { ...named, ...match, spec: quotaSpec(fields) };
}

export const quotaAnswer = (quota: Quota): AnswerOf<"GET /v1/quotas/{name}"> => ({
  status: 200,
  headers: etagOf(quota),
  body: quotaOf(quota),
});

export const quotaUsageAnswer = ({
  name,
  uses,
}: QuotaUsage): AnswerOf<"GET /v1/quotas/{name}/usage"> => ({
  status: 200,
  body: { name, ...Object.fromEntries(uses.map(({ of, ...use }) => [of, use])) },
});

export const quotaList = namedList("quotas", (quota: Quota) => quotaOf(quota));

export const quotaPutAnswer = (
  { value, ...result }: Written<Quota>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"PUT /v1/quotas/{name}"> =>
  written({ ...result, value }, request, quotaOf(value), value.revision);

export const quotaDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): AnswerOf<"DELETE /v1/quotas/{name}"> => deleted(result, request, {});
