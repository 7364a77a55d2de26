import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { KEPT_OPEN, listen } from "../src/local/http-server.ts";
import type { Role } from "./deployment.ts";
import { decide } from "./iam.ts";

export interface SecretsProps {
  readonly account: string;
  readonly region: string;
  /** The directory with a file for each secret, by its name. */
  readonly directory: string;
  /** Roles by the access keys of their holders. */
  readonly roleOf: (accessKeyId: string) => Role | undefined;
}

export interface Secrets {
  readonly endpoint: string;
  stop(): void;
}

const GET = "secretsmanager.GetSecretValue";
/** The end of an ARN, which is random in AWS. */
const SUFFIX = "AbCdEf";

/** Starts Secrets Manager with one operation, `GetSecretValue`, under the policies of the caller. */
export async function startSecrets(props: SecretsProps): Promise<Secrets> {
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
  { account, region, directory, roleOf }: SecretsProps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { SecretId: name } = (await json(request)) as { readonly SecretId: string };
  const [, key = ""] = /Credential=([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
  const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-${SUFFIX}`;
  const action = "secretsmanager:GetSecretValue";
  const isAllowed =
    request.headers["x-amz-target"] === GET &&
    decide(roleOf(key)?.statements ?? [], { action, resource: arn }) === "allowed";
  if (!isAllowed)
    return answer(response, 400, {
      __type: "AccessDeniedException",
      Message: `not authorized to perform: ${action} on resource: ${arn}`,
    });
  const secret = await readFile(join(directory, name), "utf8").catch(() => undefined);
  if (secret === undefined)
    return answer(response, 400, {
      __type: "ResourceNotFoundException",
      Message: "Secrets Manager can't find the specified secret.",
    });
  answer(response, 200, { ARN: arn, Name: name, SecretString: secret });
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.1" });
  response.end(JSON.stringify(body));
}
