import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { parseArgs } from "node:util";
import { SERVER_OPTIONS, type ServerOption, type ServerValues } from "../base/server-options.ts";
import { dataDirectory } from "./data-directory.ts";
import { isLoopback } from "./gate.ts";
import type { LocalPlatOptions } from "./plat.ts";
import type { StorageOptions } from "./storage.ts";
import { UsageError } from "./usage-error.ts";

export const PORT_MAX = 65_535;
export const SECONDS_MAX = 86_400;

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the command line and the environment; returns nothing if the command line asks for help. */
export function readOptions(
  args: readonly string[],
  environment: Variables,
): LocalPlatOptions | undefined {
  const values = parsed(args);
  if (values.help) return undefined;
  const storage = storageOf(values, environment);
  const { listen } = values;
  if (listen !== "localhost" && isIP(listen) === 0)
    throw new UsageError(
      `--listen is "${listen}"; it must be an IP address such as 0.0.0.0 or ::.`,
    );
  const token = readToken(values["token-file"], environment.PLAT_TOKEN);
  if (token === undefined && !isLoopback(listen))
    throw new UsageError(
      `--listen ${listen} accepts other machines, and needs a token: name its file with --token-file, or set PLAT_TOKEN.`,
    );
  return {
    storage,
    listen,
    token,
    port: whole("--port", values.port, 0, PORT_MAX),
    reclaimSeconds: whole("--reclaim-seconds", values["reclaim-seconds"], 1, SECONDS_MAX),
    repairSeconds: whole("--repair-seconds", values["repair-seconds"], 1, SECONDS_MAX),
    workSeconds: whole("--work-seconds", values["work-seconds"], 1, SECONDS_MAX),
  };
}

/** Rejects the endpoint of a DynamoDB where it would have no effect. @param what names what was started */
export function expectNoEndpoint(what: string, { DYNAMODB_ENDPOINT }: Variables): void {
  if (DYNAMODB_ENDPOINT)
    throw new UsageError(
      `${what} keeps data of its own, and DYNAMODB_ENDPOINT is set to ${DYNAMODB_ENDPOINT}; unset it.`,
    );
}

/** Chooses the table from the options and the environment. */
function storageOf(
  { data, memory, dynamodb }: ServerValues,
  environment: Variables,
): StorageOptions {
  const endpoint = environment.DYNAMODB_ENDPOINT || undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint))
    throw new UsageError(
      `DYNAMODB_ENDPOINT is "${endpoint}"; it must be a URL such as http://127.0.0.1:8000.`,
    );
  if (data === "") throw new UsageError("--data must name a directory.");
  if (data !== undefined && memory)
    throw new UsageError("--data and --memory exclude each other: data is kept or it is not.");
  if (endpoint !== undefined && (data !== undefined || memory || dynamodb))
    throw new UsageError(
      "DYNAMODB_ENDPOINT excludes --data, --memory and --dynamodb: the DynamoDB at the endpoint keeps its own data.",
    );
  if (endpoint !== undefined) return { table: "endpoint", endpoint };
  if (dynamodb) return { table: "dynamodb", data };
  if (memory) return { table: "memory" };
  return { table: "file", data: data ?? dataDirectory(process.platform, homedir(), environment) };
}

function parsed(args: readonly string[]): ServerValues & { readonly help: boolean } {
  const options = Object.entries<ServerOption>(SERVER_OPTIONS).map(
    ([name, { value, default: by }]) => [
      name,
      value === undefined
        ? { type: "boolean", default: false }
        : { type: "string", ...(by !== undefined && { default: by }) },
    ],
  );
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), help: { type: "boolean", default: false } },
    });
    return values as unknown as ReturnType<typeof parsed>;
  } catch (error) {
    // The first sentence of Node.js names the mistake; the others are about other command lines.
    const [sentence] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${sentence?.replace(/\.$/, "")}; --help shows the options.`);
  }
}

/** Parses a whole number of the command line. */
export function whole(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${option} is "${text}"; it must be a whole number from ${min} to ${max}.`);
}

/** The minimum length, because a caller that reaches the server can try any number of tokens. */
const TOKEN_CHARACTERS_MIN = 16;
/** Matches a bearer token (https://www.rfc-editor.org/rfc/rfc6750#section-2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Returns the token that requests must carry: from the file, else from `PLAT_TOKEN`, else none.
 *
 * @throws {UsageError} if it cannot be read, or is not a token
 */
function readToken(file: string | undefined, variable: string | undefined): string | undefined {
  if (file === undefined) return variable ? valid(variable, "PLAT_TOKEN") : undefined;
  try {
    return valid(readFileSync(file, "utf8").trim(), `The file ${file}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--token-file cannot be read: ${(error as Error).message}.`);
  }
}

/** Checks a token. It is a secret, so the message does not contain it. */
function valid(token: string, where: string): string {
  if (token.length >= TOKEN_CHARACTERS_MIN && TOKEN.test(token)) return token;
  throw new UsageError(
    `${where} must have a token of at least ${TOKEN_CHARACTERS_MIN} characters: letters, digits and -._~+/, such as "openssl rand -hex 32" prints.`,
  );
}
