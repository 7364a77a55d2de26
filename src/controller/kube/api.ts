import { readFile } from "node:fs/promises";
import {
  Agent,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from "node:http";
import { Agent as TlsAgent, request as tlsRequest } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { StringDecoder } from "node:string_decoder";
import { isRecord } from "../../api/schema/schema.ts";

/** A connection that is silent for so long is cut. Most servers send a watch a bookmark each minute. */
const IDLE_MS_MAX = 90_000;
/** A line of a watch is one object. etcd takes 1.5 MB. */
const LINE_CHARACTERS_MAX = 8_000_000;

/** The API server of a cluster, and the identity of its caller. */
export interface KubeAccess {
  readonly url: string;
  /** The certificates of the authorities that may have signed that of the server, as PEM. */
  readonly ca?: string;
  /** Returns the token. It is asked for each request, because the kubelet replaces the file. */
  readonly token?: () => Promise<string>;
}

/** The identity of a pod: how it reaches the API server, and its namespace. */
export interface PodIdentity extends KubeAccess {
  readonly namespace: string;
}

/** A request to the API server. */
export interface KubeRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The object to send; with PATCH a merge patch, or the operations of a JSON patch. */
  readonly body?: object;
  /** True to read the metadata of objects alone, of a list or of a watch. */
  readonly metadataOnly?: boolean;
}

/** A refusal by the API server. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  readonly status: number;
  /** A word for programs, such as `Conflict`. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, reason: string, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Requests to the API server of a cluster. Each fails with a `KubeError`, or with the error of the connection. */
export interface KubeApi {
  /** Sends a request, and returns the object of the answer. */
  send<Body>(request: KubeRequest, signal?: AbortSignal): Promise<Body>;
  /**
   * Opens a watch. Once the API server has accepted it, returns its lines while it lasts. A line that is cut off is left
   * out. A silence ends a watch without an error, because a server need not send bookmarks.
   */
  lines(request: KubeRequest, signal?: AbortSignal): Promise<AsyncIterable<string>>;
}

/**
 * Reads what the kubelet gives to a pod.
 *
 * @param folder the folder of the service account, with `token`, `ca.crt` and `namespace`
 * @throws {Error} if this is no pod of a cluster
 */
export async function podIdentity(env: NodeJS.ProcessEnv, folder: string): Promise<PodIdentity> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = "443" } = env;
  if (!host)
    throw new Error(
      "KUBERNETES_SERVICE_HOST is not set. The controller runs in a pod of a cluster.",
    );
  const read = async (file: string) => (await readFile(join(folder, file), "utf8")).trim();
  return {
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ca: await read("ca.crt"),
    token: () => read("token"),
    namespace: await read("namespace"),
  };
}

/** Returns the requests to an API server. Connections stay open between them. @param idleMs the silence after which one is cut */
export function kubeApi({ url, ca, token }: KubeAccess, idleMs = IDLE_MS_MAX): KubeApi {
  const isTls = url.startsWith("https:");
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, ...(ca && { ca }) })
    : new Agent({ keepAlive: true });
  const open = async (request: KubeRequest, signal?: AbortSignal): Promise<IncomingMessage> => {
    const { method = "GET", path, query, body } = request;
    const target = new URL(path, url);
    target.search = new URLSearchParams(query).toString();
    const headers: Record<string, string> = { accept: acceptOf(request) };
    if (token) headers.authorization = `Bearer ${await token()}`;
    const patch = Array.isArray(body) ? "json-patch" : "merge-patch";
    if (body)
      headers["content-type"] = `application/${method === "PATCH" ? `${patch}+json` : "json"}`;
    const options: RequestOptions = { method, headers, agent, ...(signal && { signal }) };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = (isTls ? tlsRequest : plainRequest)(target, options, resolve);
      sending.setTimeout(idleMs, () =>
        sending.destroy(new Error(`the API server was silent for ${idleMs / 1000} s`)),
      );
      sending.on("error", reject);
      sending.end(body && JSON.stringify(body));
    });
    if ((response.statusCode ?? 0) < 400) return response;
    throw refusal(response, await text(response));
  };
  return {
    async send<Body>(request: KubeRequest, signal?: AbortSignal) {
      return JSON.parse(await text(await open(request, signal))) as Body;
    },
    async lines(request, signal) {
      return linesOf(await open(request, signal), request.path);
    },
  };
}

async function* linesOf(response: IncomingMessage, path: string): AsyncGenerator<string> {
  const { socket } = response;
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isSilent = false;
  const silent = () => {
    isSilent = true;
  };
  socket.once("timeout", silent);
  try {
    for await (const chunk of response) {
      const lines = (rest + decoder.write(chunk)).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LINE_CHARACTERS_MAX)
        throw new Error(`a line of ${path} has over ${LINE_CHARACTERS_MAX} characters`);
      yield* lines.filter((line) => line !== "");
    }
  } catch (error) {
    if (!isSilent) throw error;
  } finally {
    // The connection serves further requests.
    socket.off("timeout", silent);
  }
}

/** Returns the form of the answer. https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches */
const acceptOf = ({ metadataOnly = false, query }: KubeRequest): string =>
  metadataOnly
    ? `application/json;as=PartialObjectMetadata${query?.watch ? "" : "List"};g=meta.k8s.io;v=v1`
    : "application/json";

/** Returns the refusal that an answer tells of. A proxy in between may answer without a Status. */
function refusal({ statusCode = 0, headers }: IncomingMessage, body: string): KubeError {
  const seconds = Number(headers["retry-after"]);
  const retryAfterMs = seconds > 0 ? 1000 * seconds : undefined;
  let status: unknown;
  try {
    status = JSON.parse(body);
  } catch {
    status = {};
  }
  const { reason = "", message = `status ${statusCode}` } = isRecord(status) ? status : {};
  return new KubeError(statusCode, String(reason), String(message), retryAfterMs);
}
