import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { KEPT_OPEN, listen } from "../src/local/http-server.ts";
import type { DeployedParameter, Role } from "./deployment.ts";
import { decide } from "./iam.ts";

export interface ParametersProps {
  readonly parameters: readonly DeployedParameter[];
  /** The directory with a file for each parameter that was written, by its name. */
  readonly directory: string;
  /** Roles by the access keys of their holders. */
  readonly roleOf: (accessKeyId: string) => Role | undefined;
}

export interface Parameters {
  readonly endpoint: string;
  stop(): void;
}

interface Call {
  readonly Name: string;
  readonly Value?: string;
}

const TARGET = /^AmazonSSM\.(GetParameter|PutParameter)$/;

/**
 * Starts the parameters of Systems Manager with two operations, `GetParameter` and `PutParameter`, under the policies of the caller.
 */
export async function startParameters(props: ParametersProps): Promise<Parameters> {
  const server = createServer(KEPT_OPEN, (request, response) => {
    serve(props, request, response).catch((error) => response.destroy(error));
  });
  const port = await listen(server, 0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function serve(
  { parameters, directory, roleOf }: ParametersProps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { Name, Value } = (await json(request)) as Call;
  const [, operation = ""] = TARGET.exec(String(request.headers["x-amz-target"])) ?? [];
  const [, key = ""] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
  const parameter = parameters.find(({ name }) => name === Name);
  if (!parameter) return answer(response, 400, { __type: "ParameterNotFound" });
  const wanted = { action: `ssm:${operation}`, resource: parameter.arn };
  if (decide(roleOf(key)?.statements ?? [], wanted) !== "allowed")
    return answer(response, 400, { __type: "AccessDeniedException" });
  const file = join(directory, Name);
  if (operation === "PutParameter") {
    await mkdir(directory, { recursive: true });
    await writeFile(file, Value ?? "");
    return answer(response, 200, { Version: 1, Tier: "Standard" });
  }
  const written = await readFile(file, "utf8").catch(() => parameter.value);
  answer(response, 200, { Parameter: { Name, Type: "String", Value: written } });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
  response.end(JSON.stringify(body));
}
