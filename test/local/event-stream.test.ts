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

  it("ends when the server stops", async () => {
    const response = await fetch(await served(), { headers: ACCEPT });
    const [text] = await Promise.all([response.text(), serving?.stop()]);
    expect(text).toBe('data: {"events":[0],"next":"1"}\n\n');
  });
});
