import type { Written } from "../../allocator/admin/written.ts";
import { quotaBody } from "../../contract/requests/quota.ts";
import { Problem } from "../../contract/schema/problem.ts";
import type { Quota, QuotaSpec } from "../../domain/quota.ts";
import { readJson } from "../http/body.ts";
import type { Answer, Event } from "../http/event.ts";
import { namedList } from "../http/named-list.ts";
import { readNamedWrite } from "../http/parameters.ts";
import { readIfMatch } from "../http/preconditions.ts";
import { type DryRun, etagOf, written } from "../http/write-answer.ts";

export function readQuotaPut(event: Event) {
  const input = readJson(event, quotaBody);
  if (input instanceof Problem) return input;
  const { name, ...fields } = input;
  const named = readNamedWrite(
    event,
    name === undefined ? undefined : { field: "name", value: name },
  );
  if (named instanceof Problem) return named;
  const match = readIfMatch(event);
  if (match instanceof Problem) return match;
  return { ...named, ...match, spec: specOf(fields) };
}

/** Returns the fields that are there, because an absent maximum is none. */
const specOf = (fields: { readonly [name in keyof QuotaSpec]?: QuotaSpec[name] | undefined }) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as QuotaSpec;

export const quotaAnswer = (quota: Quota): Answer => ({
  status: 200,
  headers: etagOf(quota),
  body: bodyOf(quota),
});

export const quotaList = namedList<Quota>("quotas", (quota) => bodyOf(quota));

export const quotaPutAnswer = (
  { value, ...result }: Written<Quota>,
  _requestId: string,
  request: DryRun,
): Answer => written({ ...result, value }, request, bodyOf(value), value.revision);

export const quotaDeleteAnswer = (
  result: Written<undefined>,
  _requestId: string,
  request: DryRun,
): Answer => written(result, request, {});

const bodyOf = ({ space: _, revision: __, ...quota }: Quota) => quota;
