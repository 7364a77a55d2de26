import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "../programs.ts";

/** A running server in a process of its own. */
export interface Started {
  readonly process: ChildProcess;
  readonly lines: readonly string[];
  readonly url: string;
  /** Resolves with its exit code and all its output. */
  readonly ended: Promise<{ code: number | null; lines: readonly string[]; errors: string }>;
}

/** The program of `npm start`, which bundles the server and runs the bundle. */
const SCRIPT = ["--import", "tsx", fileURLToPath(new URL("../../pack/start.ts", import.meta.url))];

/** Starts the server with the arguments of its command line, and returns how it ended. */
export const runToEnd = async (args: readonly string[], env?: Record<string, string>) =>
  (await run(args, env)).ended;

const run = async (args: readonly string[], env?: Record<string, string>) =>
  runNode([await bundledProgram("src/local/main.ts"), ...args], env);

function runNode(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DYNAMODB_ENDPOINT: "", PLAT_TOKEN: "", ...env },
  });
  const lines: string[] = [];
  let errors = "";
  const output = createInterface({ input: child.stdout });
  output.on("line", (line) => lines.push(line));
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({ code, lines, errors }));
  return { process: child, lines, output, ended };
}

/** Starts the server, and waits for the line with its URL. */
export const start = async (
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Started> => listening(await run(args, env));

/** The same by the program of `npm start`, which takes a second more. */
export const startByScript = (args: readonly string[]): Promise<Started> =>
  listening(runNode([...SCRIPT, ...args]));

async function listening(started: ReturnType<typeof runNode>): Promise<Started> {
  for await (const line of started.output) {
    const [, url] = /^Plat listens on (\S+)$/.exec(line) ?? [];
    if (url) return { ...started, url };
  }
  throw new Error(`it did not start: ${(await started.ended).errors}`);
}

export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
  return { status: response.status, body: (await response.json()) as any };
}

/** Returns the embedded DynamoDB of a server: the process without child processes. */
export async function emulatorOf(pid: number): Promise<number> {
  for (const descendant of await descendants(pid)) {
    const command = await readFile(`/proc/${descendant}/cmdline`, "utf8");
    if (/dynoxide\0serve/.test(command) && !command.includes("guard.mjs")) return descendant;
  }
  throw new Error("there is no embedded DynamoDB");
}

/** Returns the processes in which a twin runs functions. */
export async function functionsOf(pid: number): Promise<readonly number[]> {
  const running = await descendants(pid);
  const commands = await Promise.all(
    running.map((one) => readFile(`/proc/${one}/cmdline`, "utf8").catch(() => "")),
  );
  return running.filter((_, i) => commands[i]?.includes("bootstrap.mjs"));
}

/** Returns the child processes of a process, and theirs. */
async function descendants(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = text.split(" ").filter(Boolean).map(Number);
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}
