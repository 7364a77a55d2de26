import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Event } from "../api/http/event.ts";
import { encoded, type Handler } from "../api/http/http.ts";
import { invalid, Problem, problemAnswer } from "../api/schema/problem.ts";
import { BODY_BYTES_MAX, REQUEST_MS_MAX } from "../base/limits.ts";
import {
  type ConsoleFile,
  type ConsoleSettings,
  consoleFiles,
} from "../nouns/console/serve/files.ts";
import { destinationOf, newRequestId, type ServingFunction, withBody } from "./event.ts";
import { bracketed, type Gate, gateOf, pageGateOf } from "./gate.ts";
import { close, lastWords, listen, receiveBody } from "./http-server.ts";

export type Handlers = Readonly<Record<ServingFunction, Handler>>;

type Reply = Awaited<ReturnType<Handler>>;

const BODY_LIMITS = { bytesMax: BODY_BYTES_MAX, discardedBytesMax: 32 * BODY_BYTES_MAX };
const TIMEOUTS_POLL_MS = 1_000;
/** Longer than a caller's pool keeps an idle connection, so that the caller closes it first. */
const IDLE_MS_MAX = 65_000;
/** The beginning of a request's target in its absolute form (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[^/?]*\/?/i;

/** Limits that the server sets for a caller. */
export interface ServerLimits {
  /** The time for the headers to arrive. */
  readonly headersMsMax: number;
  /** The time for the whole request to arrive. */
  readonly receivingMsMax: number;
  /** The time for a handler to answer, which is the time-out of the function in Lambda. */
  readonly answerMsMax: number;
  /**
   * The size of request line and headers: the quota of an HTTP API in API Gateway
   * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html).
   */
  readonly headerBytesMax: number;
  readonly connectionsMax: number;
}

/**
 * The limits of AWS. A body has its own limit, `BODY_BYTES_MAX`, both here and in AWS. It is below the 10 MB of API
 * Gateway and the 6 MB of Lambda.
 */
const LIMITS: ServerLimits = {
  headersMsMax: 10_000,
  receivingMsMax: 30_000,
  answerMsMax: REQUEST_MS_MAX,
  headerBytesMax: 10_240,
  connectionsMax: 1_024,
};

/** The address of a server, and the callers that it accepts. */
export interface Door {
  /** The port; 0 is a free one. */
  readonly port: number;
  /** The address to listen on; loopback if absent. */
  readonly listen?: string;
  /** The token that requests must carry; without it, only programs on this machine have access. */
  readonly token?: string | undefined;
  /** The console, to which the token is nothing: its files have no data. Absent if there is none. */
  readonly console?: Console;
  /** Waits until everything that a handler may tell is kept. Absent if a handler itself waits for that. */
  readonly onDisk?: () => Promise<void>;
}

const LISTEN_DEFAULT = "127.0.0.1";

export interface Serving {
  readonly url: string;
  readonly port: number;
  /** Stops listening, finishes the requests in progress within a time limit, and closes. */
  stop(): Promise<void>;
}

/** Serves the handlers over HTTP, as API Gateway does. */
export async function serve(
  handlers: Handlers,
  door: Door,
  limits: ServerLimits = LIMITS,
): Promise<Serving> {
  const { port, listen: address = LISTEN_DEFAULT, token, console, onDisk } = door;
  const kept = onDisk ? afterFlush(handlers, onDisk) : handlers;
  const gate = gateOf(address, token);
  const pageGate = pageGateOf(address, token);
  const reply = async (request: IncomingMessage): Promise<Reply> => {
    const file = console?.(request);
    return file
      ? answerWith(pageGate(request) ?? file, request)
      : answer(kept, request, gate, limits);
  };
  let stopping = false;
  /** The connections without a request so far. Node.js takes them for busy, and would wait for them at the end. */
  const silent = new Set<Socket>();
  const server = createServer(
    {
      headersTimeout: limits.headersMsMax,
      requestTimeout: limits.receivingMsMax,
      keepAliveTimeout: IDLE_MS_MAX,
      connectionsCheckingInterval: Math.min(TIMEOUTS_POLL_MS, limits.headersMsMax),
      maxHeaderSize: limits.headerBytesMax,
    },
    (request, response) => {
      silent.delete(request.socket);
      request.url = request.url?.replace(ORIGIN, "/");
      // A client that disconnects in the middle of its request must not affect others.
      reply(request)
        .then((reply) =>
          isStreamed(request, reply)
            ? sendEvents(response, reply, pageAfter(kept, request), () => stopping)
            : write(response, reply, stopping),
        )
        .catch(() => response.destroy());
    },
  );
  server.maxConnections = limits.connectionsMax;
  server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable) socket.end(answerUnheard(error.code));
    else socket.destroy();
  });
  const open = await listen(server, port, address);
  return {
    port: open,
    url: `http://${bracketed(address)}:${open}`,
    stop() {
      stopping = true;
      const closed = close(server);
      for (const socket of silent) socket.destroy();
      return closed;
    },
  };
}

/** Returns handlers whose answers leave after everything that they report is on the disk. */
function afterFlush(handlers: Handlers, onDisk: () => Promise<void>): Handlers {
  const kept = Object.entries(handlers).map(([name, handler]): [string, Handler] => [
    name,
    async (event) => {
      const reply = await handler(event);
      try {
        await onDisk();
        return reply;
      } catch {
        return rejected(notKept(), event.requestContext.requestId);
      }
    },
  ]);
  return Object.fromEntries(kept) as unknown as Handlers;
}

const notKept = () =>
  new Problem("unavailable", "The disk failed; what the request did is not known.");

/** Returns a function that reads the page after a cursor, for a request whose first page was read. */
function pageAfter(handlers: Handlers, request: IncomingMessage) {
  return (cursor: string): Promise<Reply> => {
    const requestId = newRequestId();
    const destination = destinationOf(request, requestId);
    return destination instanceof Problem
      ? Promise.resolve(rejected(destination, requestId))
      : handlers[destination.function](eventAfter(destination.event, cursor));
  };
}

function answerWith(file: ConsoleFile | Problem, { method }: IncomingMessage): Reply {
  if (file instanceof Problem) return rejected(file, newRequestId());
  return method === "HEAD" ? { ...file, body: undefined } : file;
}

async function answer(
  handlers: Handlers,
  request: IncomingMessage,
  gate: Gate,
  { answerMsMax }: ServerLimits,
): Promise<Reply> {
  const requestId = newRequestId();
  const destination = gate(request) ?? destinationOf(request, requestId);
  const body = await receiveBody(request, BODY_LIMITS);
  if (!body) return rejected(tooLarge(), requestId);
  if (destination instanceof Problem) return rejected(destination, requestId);
  const { event } = destination;
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => resolve(rejected(tooLate(answerMsMax), requestId)), answerMsMax);
    handlers[destination.function](withBody(event, body))
      .finally(() => clearTimeout(late))
      .then(resolve, reject);
  });
}

const tooLate = (ms: number) =>
  new Problem(
    "unavailable",
    `There was no answer in ${ms / 1000} s; what the request did is not known.`,
  );

function answerUnheard(code: string | undefined): string {
  const { statusCode = 400, headers = {}, body = "" } = rejected(unheard(code), newRequestId());
  return lastWords(statusCode, headers, body);
}

function unheard(code: string | undefined): Problem {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new Problem("request_timeout", "The request did not arrive in time; send it faster.");
  if (code === "HPE_HEADER_OVERFLOW")
    return new Problem(
      "headers_too_large",
      `The request line and the headers may have ${LIMITS.headerBytesMax} bytes.`,
      { bytesMax: LIMITS.headerBytesMax },
    );
  return invalid({ field: "request", problem: "is not HTTP/1.1" });
}

const tooLarge = () =>
  new Problem("payload_too_large", `The body may have ${BODY_BYTES_MAX} bytes.`, {
    bytesMax: BODY_BYTES_MAX,
  });

function rejected(problem: Problem, requestId: string): Reply {
  return encoded(problemAnswer(problem, requestId), requestId);
}

function write(response: ServerResponse, { statusCode, headers, body }: Reply, last: boolean) {
  response.writeHead(statusCode ?? 200, {
    ...headers,
    ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
    // Otherwise the client would hold the connection open for a next request, and the server could not stop.
    ...(last && { connection: "close" }),
  });
  response.end(body);
}

const TYPE = "text/event-stream";
const PATH = /^\/v1\/(spaces\/[^/]+\/)?events$/;
/** The pause after a page. It is also the time that a stream needs to end when the server stops. */
const PAGE_MS = 500;

/** Returns true if an answer is a page of events whose caller would take a stream of pages. */
function isStreamed({ method, url = "", headers }: IncomingMessage, { statusCode }: Reply) {
  const [path = ""] = url.split("?");
  const wants = headers.accept?.includes(TYPE) ?? false;
  return method === "GET" && statusCode === 200 && wants && PATH.test(path);
}

/**
 * Sends pages of events as they come, each as one message of a stream
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html), until a page is rejected or `isOver`.
 *
 * @param page the first page
 * @param ask reads the page after a cursor
 */
async function sendEvents(
  response: ServerResponse,
  page: Reply,
  ask: (cursor: string) => Promise<Reply>,
  isOver: () => boolean,
): Promise<void> {
  // A stream is the last answer of its connection, so that no idle connection holds up a stop.
  const headers = { "content-type": TYPE, "cache-control": "no-store", connection: "close" };
  response.writeHead(200, headers);
  while (page.statusCode === 200) {
    const text = page.body ?? "{}";
    if (!response.write(`data: ${text}\n\n`) && !response.destroyed) await taken(response);
    await pause(PAGE_MS);
    if (isOver() || response.destroyed) break;
    // The page is replaced, because a stream may last for days, and the first one may have megabytes.
    page = await ask((JSON.parse(text) as { readonly next: string }).next);
  }
  response.end();
}

/** Waits until a caller has taken what was written, or is gone. */
const taken = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });

/** Returns the request of the page after a cursor. */
function eventAfter(event: Event, cursor: string): Event {
  const { since: _, ...query } = event.queryStringParameters ?? {};
  return { ...event, queryStringParameters: { ...query, cursor } };
}

/** Returns the file of the console that a request reads. It returns nothing for any other request. */
type Console = (request: IncomingMessage) => ConsoleFile | Problem | undefined;

/** The page of the console, which a browser is led to from the root of the server. */
export const CONSOLE_PATH = "/console/";

/** The folder into which `npm run console` builds. In a package it is beside the command. */
export const CONSOLE_FOLDER = folderOf("./console") ?? folderOf("../../dist/console") ?? "";

/** A laptop's server knows tokens only. */
const SETTINGS: ConsoleSettings = { signIn: { type: "token" }, origins: [] };

const TO_THE_CONSOLE: ConsoleFile = {
  statusCode: 302,
  headers: { location: CONSOLE_PATH, vary: "accept", "cache-control": "no-cache" },
  body: "",
};

/** Reads the built console into memory, and serves it under `/console`. */
export function readConsole(
  folder: string = CONSOLE_FOLDER,
  settings: ConsoleSettings = SETTINGS,
): Console {
  const files = consoleFiles(folder, settings);
  return ({ method = "", url = "", headers }) => {
    if (method !== "GET" && method !== "HEAD") return undefined;
    const [path = ""] = url.split("?");
    // Programs ask for JSON, and are told which paths there are.
    if (path === "/" && headers.accept?.includes("text/html")) return TO_THE_CONSOLE;
    const file = files(path);
    if (file !== "missing") return file;
    return new Problem(
      "not_found",
      files(CONSOLE_PATH) === "missing"
        ? "The console is not built, because that takes the packages of development. Run `npm ci` without `--omit=dev`, and start again."
        : `The console has no file ${JSON.stringify(path)}.`,
    );
  };
}

/** Returns a folder beside this file if it has a built console. */
function folderOf(beside: string): string | undefined {
  const folder = fileURLToPath(new URL(beside, import.meta.url));
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}
