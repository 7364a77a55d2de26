import {
  Agent,
  createServer,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { KEPT_OPEN, listen } from "../src/local/http-server.ts";
import type { DeployedTable, Role } from "./deployment.ts";
import { whyDenied } from "./table-access.ts";

export interface TableProxyProps {
  readonly table: DeployedTable;
  /** Roles and session names by access key; the session of a function has the function's name. */
  readonly holders: ReadonlyMap<string, { readonly role: Role; readonly session: string }>;
  /** The embedded DynamoDB. */
  readonly endpoint: string;
}

/** The trouble that functions have with the writes of their table, while a test asks for it. */
export interface TableFaults {
  /** The error in place of each write. */
  writes?: keyof typeof ERRORS | undefined;
  /** The time that each write takes longer. */
  delayMs?: number;
}

export interface TableProxy {
  readonly endpoint: string;
  readonly faults: TableFaults;
  stop(): Promise<void>;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html */
const ERRORS = {
  throttled: { status: 400, code: "ThrottlingException", message: "Rate exceeded" },
  failing: { status: 500, code: "InternalServerError", message: "Internal server error" },
} as const;

/** The operations that write one item. */
export const WRITES: ReadonlySet<string> = new Set(["DeleteItem", "PutItem", "UpdateItem"]);

/** Returns the operation of a call, such as `GetItem`; an empty text if it is none of DynamoDB. */
export const operationOf = (headers: Readonly<Record<string, unknown>>): string =>
  /^DynamoDB_20120810\.(\w+)$/.exec(String(headers["x-amz-target"]))?.[1] ?? "";

/** Starts a proxy to the embedded DynamoDB that enforces the policies of the caller. */
export async function startTableProxy(props: TableProxyProps): Promise<TableProxy> {
  const agent = new Agent({ keepAlive: true });
  const faults: TableFaults = {};
  const server = createServer(KEPT_OPEN, (request, response) => {
    serve({ ...props, faults }, agent, request, response).catch((error) => {
      // The caller sees a DynamoDB that does not answer.
      response.destroy(error);
    });
  });
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    faults,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  { table, holders, endpoint, faults }: TableProxyProps & Pick<TableProxy, "faults">,
  agent: Agent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  const [, accessKeyId = "", signedFor = ""] =
    /Credential=([^/]+)\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
  const operation = operationOf(request.headers);
  const holder = holders.get(accessKeyId);
  if (!holder)
    return refuse(response, {
      code: "UnrecognizedClientException",
      message: "The security token included in the request is invalid.",
    });
  const call = JSON.parse(body.toString("utf8"));
  const arn = table.arn.replace(/^(arn:aws:dynamodb:)[^:]+/, `$1${signedFor}`);
  const denied = whyDenied(holder.role, holder.session, { ...table, arn }, operation, call);
  if (denied !== undefined)
    return refuse(response, { code: "AccessDeniedException", message: denied });
  if (call.TableName === table.name && WRITES.has(operation)) {
    const { writes, delayMs } = faults;
    if (delayMs !== undefined) await sleep(delayMs);
    if (writes) return refuse(response, ERRORS[writes]);
  }
  await forward(endpoint, agent, request, body, response);
}

function forward(
  endpoint: string,
  agent: Agent,
  { method, url = "/", headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = send(new URL(url, endpoint), { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response).on("finish", resolve).on("error", reject);
      answer.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

interface ErrorAnswer {
  readonly status?: number;
  readonly code: string;
  readonly message: string;
}

/**
 * Rejects a call in the format of DynamoDB
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html).
 */
export function refuse(
  response: ServerResponse,
  { status = 400, code, message }: ErrorAnswer,
): void {
  const body = JSON.stringify({
    __type: `com.amazon.coral.service#${code}`,
    message,
    Message: message,
  });
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
