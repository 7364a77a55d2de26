import type { Address } from "../../domain/address.ts";
import type { Page } from "../../domain/listed.ts";
import { sealCursor } from "../http/cursor.ts";
import type { Answer } from "../http/event.ts";
import { addressHistoryOf, eventsOf, handleHistoryOf } from "./request.ts";

type HistoryPage = Page<object, string> & { readonly keptDays: number };

export function addressHistoryAnswer(
  {
    address,
    prefix,
    ...page
  }: HistoryPage & { readonly address: string; readonly prefix?: string },
  requestId: string,
  wanted: { readonly space: string; readonly address: Address },
): Answer {
  const subject = { address, ...(prefix !== undefined && { prefix }) };
  return historyAnswer(subject, page, { requestId, of: addressHistoryOf(wanted) });
}

export const handleHistoryAnswer = (
  page: HistoryPage,
  requestId: string,
  wanted: { readonly space: string; readonly handle: string },
): Answer =>
  historyAnswer({ handle: wanted.handle }, page, { requestId, of: handleHistoryOf(wanted) });

export function eventsAnswer(
  {
    events,
    keptDays,
    next,
  }: { readonly events: readonly object[]; readonly keptDays: number; readonly next: object },
  requestId: string,
  wanted: { readonly space: string },
): Answer {
  return {
    status: 200,
    body: { requestId, keptDays, events, next: sealCursor(eventsOf(wanted), next) },
  };
}

function historyAnswer(
  subject: object,
  { keptDays, items, next }: HistoryPage,
  { requestId, of }: { readonly requestId: string; readonly of: readonly unknown[] },
): Answer {
  return {
    status: 200,
    body: {
      requestId,
      ...subject,
      keptDays,
      events: items,
      ...(next !== undefined && { next: sealCursor(of, { after: next }) }),
    },
  };
}
