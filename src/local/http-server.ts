import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";

const STOP_MS_MAX = 10_000;

/**
 * Options of a server that keeps a connection for as long as its client does. A server that closes after an idle time
 * can close as the next request leaves, if the machine stands still for that time; the client sees ECONNRESET.
 */
export const KEPT_OPEN = { keepAliveTimeout: 0 };

/** Starts listening, and returns the port. */
export function listen(server: Server, port: number, address = "127.0.0.1"): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Stops listening, finishes the requests in progress within a time limit, and closes. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), STOP_MS_MAX);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}

/**
 * Reads the body of a request; returns nothing if it has too many bytes. It discards bytes above the limit for a while,
 * so that the sender can read the answer.
 */
export function receiveBody(
  request: IncomingMessage,
  { bytesMax, discardedBytesMax }: { bytesMax: number; discardedBytesMax: number },
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else if (bytes > discardedBytesMax) request.socket.destroy();
    });
    request.on("end", () => resolve(bytes <= bytesMax ? Buffer.concat(chunks) : undefined));
    request.on("error", reject);
  });
}

/** Formats an answer as bytes for input that is not a valid request, because Node.js has no response object for it. */
export function lastWords(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  body: string,
): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
