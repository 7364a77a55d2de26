import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { bundledProgram } from "../programs.ts";

/** The result of a command of the deployment, run as a process with a fake AWS. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `cdk/<name>.ts` with fake credentials. `variables` are further variables of its environment. */
export const runCdk = (
  name: "deploy" | "rollback",
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Ended> => runWithAws(`cdk/${name}.ts`, args, variables);

/** Runs a program of the sources with fake credentials. */
export async function runWithAws(
  entry: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<Ended> {
  const program = await bundledProgram(entry);
  const child = spawn(process.execPath, [program, ...args], {
    // A directory without a context of the developer.
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      // No request leaves the machine, except to the server of a test.
      AWS_ENDPOINT_URL: "http://127.0.0.1:1",
      ...variables,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (chunk: string) => {
      output[stream] += chunk;
    });
  return new Promise((resolve) => {
    child.once("close", (status) => resolve({ status, ...output }));
  });
}

/** Returns the answer to a request to AWS, by its method, its path and its form. */
export type Answering = (method: string, path: string, body: string) => string | undefined;

/**
 * Serves a fake AWS while `use` runs. It answers with the account of the credentials, and otherwise with the result of
 * `answer`.
 */
export async function withAws<Result>(
  account: string,
  use: (variables: Readonly<Record<string, string>>) => Promise<Result>,
  answer: Answering = () => undefined,
): Promise<Result> {
  const identity = `<GetCallerIdentityResponse><GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answered = body.includes("Action=GetCallerIdentity")
      ? identity
      : answer(String(request.method), String(request.url), body);
    // An error of DynamoDB has its type in the body.
    if (answered === undefined || answered.includes('"__type"')) response.statusCode = 400;
    response.end(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await use({ AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` });
  } finally {
    server.close();
  }
}
