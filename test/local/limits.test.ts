import "./silent.ts";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { functionsOver } from "../../src/local/functions.ts";
import { type Handlers, type Serving, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";

const STRICT_LIMITS = {
  headersMsMax: 300,
  receivingMsMax: 600,
  answerMsMax: 200,
  headerBytesMax: 10_240,
  connectionsMax: 8,
};
/** Limits with enough time for a busy machine, for tests that are not about time. */
const WIDE_LIMITS = {
  ...STRICT_LIMITS,
  headersMsMax: 60_000,
  receivingMsMax: 60_000,
  answerMsMax: 60_000,
};

let strict: Serving;
let wide: Serving;

beforeAll(async () => {
  const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
  // A function that never answers, like one whose database is gone.
  const read = () => new Promise<never>(() => {});
  strict = await serve({ ...handlers, read }, { port: 0 }, STRICT_LIMITS);
  wide = await serve(handlers, { port: 0 }, WIDE_LIMITS);
});

afterAll(() => Promise.all([strict.stop(), wide.stop()]));

const open = ({ port }: Serving): Socket => connect(port, "127.0.0.1").on("error", () => {});

/** Returns all output of the server on a connection until it closes it. */
async function heard(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

/** Returns the status of an answer, and the problem in it. */
function problemIn(text: string) {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toContain("application/problem+json");
  return { status: Number(head.split(" ")[1]), code: JSON.parse(body).code };
}

it.each([
  ["headers that do not end", "POST /v1/assign HTTP/1.1\r\nhost: x\r\n"],
  [
    "a body that does not come",
    "POST /v1/assign HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n{",
  ],
])("%s: told so, and cut off", async (_, start) => {
  const socket = open(strict);
  socket.write(start);
  expect(problemIn(await heard(socket))).toEqual({ status: 408, code: "request_timeout" });
});

it("headers of more bytes than API Gateway takes are rejected as such", async () => {
  const socket = open(wide);
  socket.write(`GET /v1/pools HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(11_000)}\r\n\r\n`);
  expect(problemIn(await heard(socket))).toEqual({ status: 431, code: "headers_too_large" });
});

it.each([
  "\u0016\u0003\u0001 hello\r\n\r\n",
  "GET /v1/pools HTTP/1.1\r\nhost: x\r\na\u0000b: c\r\n\r\n",
  "POST /v1/assign HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
])("what is no HTTP is rejected as such: %j", async (bytes) => {
  const socket = open(wide);
  socket.write(bytes);
  expect(problemIn(await heard(socket))).toEqual({ status: 400, code: "invalid_request" });
});

it("a request that is not answered in time is told that nothing is known of it", async () => {
  const reply = await fetch(`http://127.0.0.1:${strict.port}/healthz`);
  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ code: "unavailable", retryable: true });
});

it("a gigabyte in a packed body stays packed, and is rejected", async () => {
  const reply = await fetch(`http://127.0.0.1:${wide.port}/v1/assign`, {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: gzipSync(Buffer.alloc(50_000_000)),
  });
  expect({ status: reply.status, ...((await reply.json()) as object) }).toMatchObject({
    status: 415,
    code: "unsupported_media_type",
  });
});

it("more connections than it takes are closed, and those that it has are served", async () => {
  const held = Array.from({ length: WIDE_LIMITS.connectionsMax }, () => open(wide));
  await Promise.all(held.map((socket) => once(socket, "connect")));
  const refused = open(wide);
  refused.resume();
  await once(refused, "close");
  const [first] = held as [Socket];
  const answer = heard(first);
  first.write("GET /v1/pools HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
  for (const socket of held) socket.destroy();
});

it("a stop does not wait for a connection without a request, such as browsers open ahead", async () => {
  const serving = await serve({} as Handlers, { port: 0 }, WIDE_LIMITS);
  const ahead = open(serving);
  await once(ahead, "connect");
  // The server has both connections afterwards, because it takes them in their order.
  await fetch(serving.url);
  // Without time, nothing but the stop closes a connection.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    expect(await Promise.all([heard(ahead), serving.stop()])).toEqual(["", undefined]);
  } finally {
    vi.useRealTimers();
  }
});
