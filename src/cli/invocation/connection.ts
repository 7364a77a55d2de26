import { Command } from "commander";
import { SPACE_DEFAULT } from "../../api/route.ts";
import { PORT_DEFAULT } from "../../base/server-options.ts";
import { clientWithToken } from "../../client/client.ts";
import { type PlatClient, type PlatOptions, platClient } from "../../client/index.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { type ApiContext, contextNamed, readContexts } from "./contexts.ts";

const ENDPOINT_DEFAULT = `http://127.0.0.1:${PORT_DEFAULT}`;

/** The options of every command. */
export interface GlobalOptions {
  readonly endpoint?: string;
  readonly space?: string;
  readonly region?: string;
  readonly context?: string;
}

/** The API to call. */
export interface Connection extends PlatOptions {
  /** The file of the token, which is read anew for each call: somebody may replace it during a long command. */
  readonly tokenFile?: string | undefined;
}

/**
 * Returns the API to call. An option decides, else the environment, else the context. A context whose endpoint is not used gives
 * nothing, because its credentials are for this endpoint alone.
 */
export async function connectionOf(io: Io, options: GlobalOptions): Promise<Connection> {
  const { env } = io;
  // An empty variable counts as unset, because scripts leave such ones.
  const endpoint = options.endpoint ?? (env.PLAT_ENDPOINT || undefined);
  if (endpoint !== undefined && options.context !== undefined)
    io.err(
      `Note: ${options.endpoint === undefined ? "PLAT_ENDPOINT" : "--endpoint"} is set, so context ${options.context} is not used.\n`,
    );
  const context = endpoint === undefined ? await contextFor(io, options.context) : undefined;
  return {
    endpoint: endpoint ?? context?.endpoint ?? ENDPOINT_DEFAULT,
    space: options.space ?? (env.PLAT_SPACE || context?.space),
    region: options.region ?? (env.PLAT_REGION || context?.region),
    token: env.PLAT_TOKEN || undefined,
    tokenFile: env.PLAT_TOKEN ? undefined : context?.tokenFile,
    apiKey: env.PLAT_API_KEY || undefined,
    // With a profile the SDK would not look at keys in the environment.
    profile: env.AWS_PROFILE || env.AWS_ACCESS_KEY_ID ? undefined : context?.profile,
  };
}

/** Returns the named context, else the current one; nothing if there is none. */
async function contextFor(io: Io, name: string | undefined): Promise<ApiContext | undefined> {
  const contexts = await readContexts(io);
  const wanted = name ?? (io.env.PLAT_CONTEXT || contexts.current);
  return wanted === undefined ? undefined : contextNamed(io, contexts, wanted);
}

/** Returns the client of a connection. */
export function clientFor(io: Io, { tokenFile, ...options }: Connection): PlatClient {
  const world = { sleep: io.sleep };
  if (tokenFile === undefined) return platClient(options, world);
  return clientWithToken(async () => (await readInput(io, tokenFile)).trim(), options, world);
}

/** Returns the client for a line whose last word is incomplete. Errors: the line has no valid connection. */
export async function clientOfLine(io: Io, words: readonly string[]): Promise<PlatClient> {
  const over = words.slice(0, -1);
  // The user is typing the value of this option.
  if (over.at(-1)?.startsWith("-")) over.pop();
  const command = withGlobalOptions(new Command());
  command.parseOptions(over);
  return clientFor(io, await connectionOf(io, command.opts<GlobalOptions>()));
}

/** Adds the options of every command: endpoint, address space, Region and context. */
export const withGlobalOptions = (program: Command): Command =>
  program
    .option(
      "--endpoint <url>",
      `URL of the API; default: PLAT_ENDPOINT, else that of the context, else ${ENDPOINT_DEFAULT}`,
    )
    .option(
      "--space <space>",
      `Address space (VRF) to work in; default: PLAT_SPACE, else that of the context, else ${SPACE_DEFAULT}`,
    )
    .option(
      "--region <region>",
      "AWS Region to sign requests for, when the endpoint has a domain name of its own; default: PLAT_REGION, else that of the context",
    )
    .option(
      "--context <context>",
      "Context of `plat config` to use; default: PLAT_CONTEXT, else the current one",
    );
