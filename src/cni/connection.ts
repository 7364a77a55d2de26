import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { clientOver, type Fetch, type PlatClient, platClient } from "../client/index.ts";
import { CniError, CODE } from "./error.ts";
import type { Variables } from "./invocation.ts";
import type { Ipam } from "./network.ts";

/** The time for all requests of one command. Kubelet waits for two minutes by default. */
const COMMAND_MS_MAX = 60_000;

/**
 * Returns the client of a network: the configuration counts before the variables of the process, which are those of the
 * command `plat`. @throws {CniError}
 */
export async function connect(
  { endpoint, region, space, tokenFile }: Ipam,
  variables: Variables,
): Promise<PlatClient> {
  const url = endpoint ?? variables.PLAT_ENDPOINT;
  if (!url)
    throw new CniError(
      CODE.invalidConfiguration,
      "ipam.endpoint is missing, and PLAT_ENDPOINT is not set.",
      "Set ipam.endpoint to the URL of Plat, such as http://127.0.0.1:8787.",
    );
  const client = platClient(
    {
      endpoint: url,
      space: space ?? (variables.PLAT_SPACE || undefined),
      // With a Region requests are signed, so the variable must not take the place of the network's token.
      region: region ?? (tokenFile === undefined ? variables.PLAT_REGION || undefined : undefined),
      token: tokenFile === undefined ? variables.PLAT_TOKEN || undefined : await tokenIn(tokenFile),
      apiKey: variables.PLAT_API_KEY || undefined,
    },
    { fetch: plainFetch },
  );
  return ofOneCommand(client);
}

/** Returns a client whose requests all end with the time of one command, which begins now. */
export function ofOneCommand(client: PlatClient): PlatClient {
  const signal = AbortSignal.timeout(COMMAND_MS_MAX);
  return clientOver((request) => client.call({ ...request, signal }), client.space);
}

async function tokenIn(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw new CniError(
      CODE.io,
      `ipam.tokenFile ${path} cannot be read: ${(error as Error).message}`,
    );
  }
}

/**
 * Sends a request as `fetch` does, and throws what `fetch` throws. A plugin is a process for each command, and the
 * built-in `fetch` takes ten times the processor time of `node:http` to load.
 */
const plainFetch: Fetch = async (url, { method, headers, body, signal }) => {
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
