import { connect, type Socket } from "node:net";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Asking {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** The maximum time for an answer, as in the product. */
const ANSWER_MS_MAX = 2_000;
const HEAD_END = "\r\n\r\n";
/** The embedded database requires a signature, but does not check it. */
const HEAD = [
  "POST / HTTP/1.1",
  "host: localhost",
  "content-type: application/x-amz-json-1.0",
  "authorization: AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=none",
  "x-amz-date: 20260101T000000Z",
].join("\r\n");

/**
 * A connection to the embedded database for one request at a time. It knows only the part of HTTP that the answers
 * need.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #asking: Asking | undefined;

  /** @param closed called when the connection can no longer serve */
  constructor({ hostname, port }: URL, closed: () => void) {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on("data", (chunk) => this.#receive(chunk));
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("timeout", () => {
      if (this.#asking) this.#socket.destroy(codedError("ETIMEDOUT", "no answer in time"));
    });
    this.#socket.on("close", () => {
      closed();
      this.#fail(codedError("ECONNRESET", "the connection was closed"));
    });
    this.#socket.setTimeout(ANSWER_MS_MAX);
  }

  ask(operation: string, payload: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#asking = { resolve, reject };
      const length = Buffer.byteLength(payload);
      this.#socket.write(
        `${HEAD}\r\nx-amz-target: DynamoDB_20120810.${operation}\r\ncontent-length: ${length}${HEAD_END}${payload}`,
      );
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
    const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
    const from = headEnd + HEAD_END.length;
    const to = from + Number(length);
    if (this.#received.length < to) return;
    const text = this.#received.toString("utf8", from, to);
    this.#received = this.#received.subarray(to);
    const asking = this.#asking;
    this.#asking = undefined;
    asking?.resolve({ status: Number(status), text });
  }

  #fail(error: Error): void {
    this.#asking?.reject(error);
    this.#asking = undefined;
  }
}

const codedError = (code: string, message: string) => Object.assign(new Error(message), { code });
