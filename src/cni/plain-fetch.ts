import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Fetch } from "../client/index.ts";

/**
 * Sends a request as `fetch` does, and throws what `fetch` throws. A plugin is a process for each command, and the
 * built-in `fetch` takes ten times the processor time of `node:http` to load.
 */
export const plainFetch: Fetch = async (url, { method, headers, body, signal }) => {
  const { request } = url.startsWith("https:")
    ? await import("node:https")
    : await import("node:http");
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method: method ?? "GET", ...(signal && { signal }) };
      const sending = request(url, { ...options, headers: { ...(headers as object) } }, resolve);
      sending.on("error", reject);
      sending.end(body ?? undefined);
    });
    const answer = await text(response);
    const { statusCode = 0, headers: received } = response;
    return {
      status: statusCode,
      headers: { get: (name) => [received[name]].flat()[0] ?? null },
      text: async () => answer,
    };
  } catch (error) {
    throw signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause: error });
  }
};
