import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Event } from "../edge/http/event.ts";
import type { Handler } from "../edge/http/http.ts";

type Reply = Awaited<ReturnType<Handler>>;

const TYPE = "text/event-stream";
const PATH = /^\/v1\/(spaces\/[^/]+\/)?events$/;
/** The pause after a page. It is also the time that a stream needs to end when the server stops. */
const PAGE_MS = 500;

/** Returns true if an answer is a page of events whose caller would take a stream of pages. */
export function isStreamed({ method, url = "", headers }: IncomingMessage, { statusCode }: Reply) {
  const [path = ""] = url.split("?");
  const wants = headers.accept?.includes(TYPE) ?? false;
  return method === "GET" && statusCode === 200 && wants && PATH.test(path);
}

/**
 * Sends pages of events as they come, each as one message of a stream
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html), until a page is rejected or `isOver`.
 *
 * @param ask reads the page after a cursor
 */
export async function sendEvents(
  response: ServerResponse,
  first: Reply,
  ask: (cursor: string) => Promise<Reply>,
  isOver: () => boolean,
): Promise<void> {
  // A stream is the last answer of its connection, so that no idle connection holds up a stop.
  const headers = { "content-type": TYPE, "cache-control": "no-store", connection: "close" };
  response.writeHead(200, headers);
  for (let page = first; page.statusCode === 200; ) {
    const text = page.body ?? "{}";
    response.write(`data: ${text}\n\n`);
    await pause(PAGE_MS);
    if (isOver() || response.destroyed) break;
    page = await ask((JSON.parse(text) as { readonly next: string }).next);
  }
  response.end();
}

/** Returns the request of the page after a cursor. */
export function eventAfter(event: Event, cursor: string): Event {
  const { since: _, ...query } = event.queryStringParameters ?? {};
  return { ...event, queryStringParameters: { ...query, cursor } };
}
