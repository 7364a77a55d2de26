import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Met {
  /** The route without the space, such as `POST /v1/release`. */
  readonly route: string;
  readonly query: URLSearchParams;
  /** The number of earlier requests on this connection. */
  readonly before: number;
}

/**
 * Makes a connection to a server on which requests can fail.
 *
 * @param meet called before a request is passed on. `lost`: the request is carried out, and its answer is lost. `cut`:
 * it never arrives. An object is the answer in place of the server's, with its `status` if it is a problem
 * @returns the URL of the connection
 */
export async function wayTo(
  url: string,
  meet: (met: Met) => Promise<"lost" | "cut" | object | undefined>,
): Promise<string> {
  let before = 0;
  const server = createServer(async (request, response) => {
    const { method = "GET", headers } = request;
    const asked = new URL(request.url ?? "/", url);
    const body = await buffer(request);
    const route = `${method} ${asked.pathname.replace(/^\/v1\/spaces\/[^/]+/, "/v1")}`;
    const fate = await meet({ route, query: asked.searchParams, before: before++ });
    if (typeof fate === "object") {
      const status = "status" in fate ? Number(fate.status) : 200;
      return response.writeHead(status).end(JSON.stringify(fate));
    }
    if (fate === "cut") return response.destroy();
    const answer = await fetch(asked, {
      method,
      headers: headers as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    if (fate === "lost") return response.destroy();
    const etag = answer.headers.get("etag");
    const type = { "content-type": "application/json" };
    response.writeHead(answer.status, { ...type, ...(etag !== null && { etag }) });
    return response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
