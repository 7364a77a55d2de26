import { Agent, request } from "node:http";

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: callers check the parts of the body that they use
  readonly body: any;
}

export interface Client {
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<HttpReply>;
  close(): void;
}

/** Returns the additional headers of a request, which depend on its content. */
export type Sign = (
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  payload: string | undefined,
) => Promise<Record<string, string>>;

const ANSWER_MS_MAX = 30_000;

/**
 * Makes a client that calls the API over kept connections, with JSON in both directions. It uses plain `node:http`,
 * because `fetch` costs more than the work that it measures.
 */
export function makeClient(url: string, sockets: number, sign?: Sign): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  return {
    close: () => agent.destroy(),
    async call(method, path, body, headers) {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const target = new URL(`${url.replace(/\/$/, "")}${path}`);
      const own = {
        ...(payload !== undefined && { "content-type": "application/json" }),
        ...headers,
      };
      const signed = await sign?.(method, target, own, payload);
      return new Promise((resolve, reject) => {
        const sent = request(
          target,
          {
            method,
            agent,
            timeout: ANSWER_MS_MAX,
            headers: {
              ...(payload !== undefined && { "content-length": Buffer.byteLength(payload) }),
              ...own,
              ...signed,
            },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("error", reject);
            response.on("end", () => {
              const text = Buffer.concat(chunks).toString("utf8");
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: text === "" ? undefined : JSON.parse(text),
              });
            });
          },
        );
        sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} took too long`)));
        sent.on("error", reject);
        sent.end(payload);
      });
    },
  };
}
