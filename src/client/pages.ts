import type { Call, Request } from "./request.ts";

/** A part of a long answer; `next` continues it. */
export interface Page {
  readonly next?: string | undefined;
}

/** Yields the pages of a long answer, up to the last. Each page is read when it is asked for. */
export async function* pagesOf<Body extends Page>(
  call: Call,
  request: Request,
): AsyncGenerator<Body, void, undefined> {
  let cursor: string | undefined;
  do {
    const query = { ...request.query, ...(cursor !== undefined && { cursor }) };
    const { body } = await call<Body>({ ...request, query });
    yield body;
    cursor = body.next;
  } while (cursor !== undefined);
}
