import type * as v from "valibot";
import { sealCursor } from "../../../api/http/cursor.ts";
import type { AnswerOf } from "../../../api/http/event.ts";
import type { Page } from "../../../base/listed.ts";
import type { Address } from "../../../net/address.ts";
import type { event } from "../contract/answer.ts";
import { addressHistoryOf, eventsOf, handleHistoryOf } from "./request.ts";

/** An event as the publisher wrote it. Its tests compare each with the schema. */
type Told = v.InferOutput<typeof event>;

type HistoryPage = Page<object, string> & { readonly keptDays: number };

export function addressHistoryAnswer(
  {
    address,
    prefix,
    ...page
  }: HistoryPage & { readonly address: string; readonly prefix?: string },
  requestId: string,
  wanted: { readonly space: string; readonly address: Address },
): AnswerOf<"GET /v1/addresses/{ip}/history"> {
  const subject = { address, ...(prefix !== undefined && { prefix }) };
  return historyAnswer(subject, page, { requestId, of: addressHistoryOf(wanted) });
}

export const handleHistoryAnswer = (
  page: HistoryPage,
  requestId: string,
  wanted: { readonly space: string; readonly handle: string },
): AnswerOf<"GET /v1/history/handles/{handle+}"> =>
  historyAnswer({ handle: wanted.handle }, page, { requestId, of: handleHistoryOf(wanted) });

export function eventsAnswer(
  {
    events,
    keptDays,
    next,
  }: { readonly events: readonly object[]; readonly keptDays: number; readonly next: object },
  requestId: string,
  wanted: { readonly space: string },
): AnswerOf<"GET /v1/events"> {
  return {
    status: 200,
    body: {
      requestId,
      keptDays,
      events: events as readonly Told[],
      next: sealCursor(eventsOf(wanted), next),
    },
  };
}

function historyAnswer<Subject extends object>(
  subject: Subject,
  { keptDays, items, next }: HistoryPage,
  { requestId, of }: { readonly requestId: string; readonly of: readonly unknown[] },
) {
  return {
    status: 200 as const,
    body: {
      requestId,
      ...subject,
      keptDays,
      events: items as readonly Told[],
      ...(next !== undefined && { next: sealCursor(of, { after: next }) }),
    },
  };
}
