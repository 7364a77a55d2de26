import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { BODY_BYTES_MAX } from "../domain/limits.ts";
import type { FunctionName } from "../edge/api.ts";
import { encoded, type Handler } from "../edge/http.ts";
import { Problem, problemAnswer } from "../edge/problem.ts";
import { destinationOf, newRequestId, withBody } from "./event.ts";

export type Handlers = Readonly<Record<FunctionName, Handler>>;

type Reply = Awaited<ReturnType<Handler>>;

const HOST = "127.0.0.1";
/** What arrives above the limit is read and thrown away, so that its sender gets to read the answer; but not for ever. */
const DISCARDED_BYTES_MAX = 32 * BODY_BYTES_MAX;
const HEADERS_MS_MAX = 10_000;
const RECEIVING_MS_MAX = 30_000;
const TIMEOUTS_POLL_MS = 1_000;
/** Longer than a caller's pool keeps a connection, so that it is the caller who closes it. */
const IDLE_MS_MAX = 65_000;
const STOP_MS_MAX = 10_000;

export interface Serving {
  readonly port: number;
  /** Stops listening, finishes what is under way within a time, and closes. */
  stop(): Promise<void>;
}

/** Serves the handlers over HTTP, as API Gateway does. */
export async function serve(handlers: Handlers, port: number): Promise<Serving> {
  let stopping = false;
  const server = createServer(
    {
      headersTimeout: HEADERS_MS_MAX,
      requestTimeout: RECEIVING_MS_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      connectionsCheckingInterval: TIMEOUTS_POLL_MS,
    },
    (request, response) => {
      // A client that goes away in the middle of its request is no concern of anybody else's.
      answer(handlers, request).then(
        (reply) => write(response, reply, stopping),
        () => response.destroy(),
      );
    },
  );
  await listening(server, port);
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    stop: () =>
      new Promise((resolve) => {
        stopping = true;
        const cut = setTimeout(() => server.closeAllConnections(), STOP_MS_MAX);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
}

async function answer(handlers: Handlers, request: IncomingMessage): Promise<Reply> {
  const requestId = newRequestId();
  const destination = destinationOf(request, requestId);
  const body = await readBody(request);
  if (body instanceof Problem) return refused(body, requestId);
  if (destination instanceof Problem) return refused(destination, requestId);
  return handlers[destination.route.function](withBody(destination.event, body));
}

async function readBody(request: IncomingMessage): Promise<Buffer | Problem> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    else if (bytes > DISCARDED_BYTES_MAX) request.socket.destroy();
  }
  if (bytes <= BODY_BYTES_MAX) return Buffer.concat(chunks);
  return new Problem("payload_too_large", `The body may have ${BODY_BYTES_MAX} bytes.`, {
    bytesMax: BODY_BYTES_MAX,
  });
}

function refused(problem: Problem, requestId: string): Reply {
  const { allow } = problem.members;
  const reply = encoded(problemAnswer(problem, requestId));
  return Array.isArray(allow)
    ? { ...reply, headers: { ...reply.headers, allow: allow.join(", ") } }
    : reply;
}

function write(response: ServerResponse, { statusCode, headers, body }: Reply, last: boolean) {
  response.writeHead(statusCode ?? 200, {
    ...headers,
    "content-length": Buffer.byteLength(body ?? ""),
    // Otherwise the connection would be held open for a next request, and the server with it.
    ...(last && { connection: "close" }),
  });
  response.end(body);
}
