import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * Starts a proxy before a server. The first assigns are carried out, and their answers are lost.
 *
 * @param losses the number of answers that do not arrive
 * @param address the address that the proxy listens on
 */
export async function losingAnswers(url: string, losses: number, address = "127.0.0.1") {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(new URL(request.url ?? "", url), {
      method: request.method ?? "GET",
      headers: { ...(request.headers as Record<string, string>), host: new URL(url).host },
      ...(body && { body }),
    });
    const said = await answer.text();
    if (request.url?.endsWith("/assign") && requests++ < losses) response.destroy();
    else response.writeHead(answer.status).end(said);
  });
  server.listen(0, address);
  await once(server, "listening");
  return {
    endpoint: `http://${address}:${(server.address() as AddressInfo).port}`,
    /** Returns the number of assigns so far. */
    requests: () => requests,
    stop: () => server.close(),
  };
}
