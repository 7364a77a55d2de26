import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Event } from "../../src/api/http/event.ts";
import { type Handlers, type Serving, serve } from "../../src/local/server.ts";

let serving: Serving | undefined;
let asked: Readonly<Record<string, string | undefined>>[] = [];
afterEach(async () => {
  await serving?.stop();
  asked = [];
});

const reply = (statusCode: number, body: object) => ({
  statusCode,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Serves pages of events of which each leads to the next one, and rejects the cursor `3`. */
async function served(): Promise<string> {
  const read = async ({ queryStringParameters: query = {} }: Event) => {
    asked.push(query);
    const page = Number(query.cursor ?? 0);
    return page === 3
      ? reply(410, { code: "cursor_expired" })
      : reply(200, { events: [page], next: String(page + 1) });
  };
  serving = await serve({ read } as unknown as Handlers, { port: 0 });
  return `${serving.url}/v1/events?limit=5&since=2026-11-26T00:00:00Z`;
}

/** More than the sockets of both sides take. */
const BYTES_IN_SOCKETS = 32 * 1_024 * 1_024;
const ACCEPT = { accept: "text/event-stream, application/json" };

describe("GET /v1/events on a laptop", () => {
  it("is a stream on request: page after page, until one is rejected", async () => {
    const response = await fetch(await served(), { headers: ACCEPT });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toBe(
      [0, 1, 2].map((page) => `data: {"events":[${page}],"next":"${page + 1}"}\n\n`).join(""),
    );
    const since = "2026-11-26T00:00:00Z";
    expect(asked).toEqual([
      { limit: "5", since },
      ...["1", "2", "3"].map((cursor) => ({ limit: "5", cursor })),
    ]);
  });

  it("is one page for others, and a rejection is not streamed", async () => {
    const url = await served();
    expect(await (await fetch(url)).json()).toEqual({ events: [0], next: "1" });
    const gone = await fetch(`${serving?.url}/v1/spaces/blue/events?cursor=3`, { headers: ACCEPT });
    expect([gone.status, await gone.json()]).toEqual([410, { code: "cursor_expired" }]);
  });

  it("waits for a caller that does not read, in place of keeping pages for it", async () => {
    const stalled: (string | undefined)[] = [];
    let hasBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const read = async ({ rawPath, queryStringParameters: query = {} }: Event) => {
      const page = Number(query.cursor ?? 0);
      if (!rawPath.includes("stalled")) return reply(page < 3 ? 200 : 410, { next: page + 1 });
      stalled.push(query.cursor);
      hasBegun();
      return reply(200, { events: ["x".repeat(BYTES_IN_SOCKETS)], next: page + 1 });
    };
    serving = await serve({ read } as unknown as Handlers, { port: 0 });
    const caller = connect(serving.port, "127.0.0.1");
    try {
      await once(caller, "connect");
      caller.write(
        "GET /v1/spaces/stalled/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n",
      );
      await begun;
      // A stream that begins later has all of its pages.
      await (await fetch(`${serving.url}/v1/events`, { headers: ACCEPT })).text();
      expect(stalled).toEqual([undefined]);
    } finally {
      caller.destroy();
    }
  });

  it("ends when the server stops", async () => {
    const response = await fetch(await served(), { headers: ACCEPT });
    const [text] = await Promise.all([response.text(), serving?.stop()]);
    expect(text).toBe('data: {"events":[0],"next":"1"}\n\n');
  });
});
