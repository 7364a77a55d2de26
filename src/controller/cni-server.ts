import { chmod, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import * as v from "valibot";
import { utf8Text } from "../base/utf8.ts";
import { CniError, CODE, errorObject } from "../cni/error.ts";
import type { Variables } from "../cni/invocation.ts";
import type { Waits } from "./kube/waits.ts";

const PATH = "/v1/cni";
/** A configuration has some KB. A list of the attachments of a node has 100 characters for each. */
const REQUEST_BYTES_MAX = 1_000_000;
const CONNECTIONS_MAX = 512;
/** The wait before commands that the plugin left behind are looked for again. */
const LEFT_AGAIN_MS = 60_000;
/** The version of an error of a request that names none. */
const CNI_VERSION = "1.1.0";

/** The folder that the plugin and the agent share. Root alone may enter it. */
const FOLDER_MODE = 0o700;
const SOCKET_MODE = 0o600;
const SOCKET = "agent.sock";
const DELETES = "deletes";

const text = v.optional(v.string(), "");

/** A command of a runtime, as the plugin passes it on. */
const request = v.object({
  command: v.string(),
  containerId: text,
  ifName: text,
  args: text,
  config: v.record(v.string(), v.unknown()),
});

type Request = v.InferOutput<typeof request>;

/** The end of a command: what the plugin prints, and its exit code. */
export interface Ended {
  readonly exit: 0 | 1;
  readonly out: string;
}

/** The end of a DEL that releases nothing. */
const DONE: Ended = { exit: 0, out: "" };

/** Carries out a command, with the variables that the runtime has set. */
type Answer = (variables: Variables, config: string) => Promise<Ended>;

/** The surroundings of the server. */
export interface CniServerOptions {
  /** The folder with the socket, and with the commands that the plugin left behind while nobody listened. */
  readonly folder: string;
  readonly answer: Answer;
  readonly waits: Waits;
  readonly log: (message: string, about?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Serves the commands of the CNI plugin of a node, over a Unix socket that root alone may use. Commands for one interface
 * of a container are carried out in turn. A DEL that the plugin left behind while nobody listened is carried out later: at
 * the latest before an ADD for its interface.
 */
export class CniServer {
  readonly #options: CniServerOptions;
  /** The last command of each attachment that is in work. */
  readonly #inWork = new Map<string, Promise<unknown>>();

  constructor(options: CniServerOptions) {
    this.#options = options;
  }

  /** Listens until the signal ends it. Returns once it listens. */
  async listen(signal: AbortSignal): Promise<void> {
    const { folder } = this.#options;
    const deletes = join(folder, DELETES);
    await mkdir(deletes, { recursive: true, mode: FOLDER_MODE });
    await chmod(folder, FOLDER_MODE);
    // A plugin that was killed while it wrote leaves its file behind.
    for (const name of await readdir(deletes))
      if (isUnfinished(name)) await rm(join(deletes, name), { force: true });
    const socket = join(folder, SOCKET);
    // An agent that was killed leaves its socket behind.
    await rm(socket, { force: true });
    const server = createServer((asked, response) => void this.#serve(asked, response));
    server.maxConnections = CONNECTIONS_MAX;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(socket, resolve);
    });
    await chmod(socket, SOCKET_MODE);
    signal.addEventListener("abort", () => {
      server.close();
      server.closeAllConnections();
    });
  }

  /** Carries out the commands that the plugin left behind, again and again until the signal ends it. */
  async drain(signal: AbortSignal): Promise<void> {
    const { folder, waits, log } = this.#options;
    while (!signal.aborted) {
      const names = await readdir(join(folder, DELETES)).catch(() => []);
      for (const name of names.filter((one) => !isUnfinished(one))) {
        if (signal.aborted) return;
        await this.#inTurn(attachmentIn(name), () => this.#carryOutLeft(name)).catch(
          (error: unknown) =>
            log("A DEL that was left behind could not be read", { name, error: String(error) }),
        );
      }
      await waits.sleep(LEFT_AGAIN_MS, signal);
    }
  }

  /** Carries out the DEL in a file, and removes it once it is done. Succeeds if an earlier command has done so. */
  async #carryOutLeft(name: string): Promise<Ended> {
    const { folder, log } = this.#options;
    const file = join(folder, DELETES, name);
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (bytes === undefined) return DONE;
    const asked = parsed(bytes);
    if (asked?.command !== "DEL") {
      log("A file that is no DEL was removed", { file });
      await rm(file, { force: true });
      return DONE;
    }
    const { containerId, ifName } = asked;
    const ended = await this.#carryOut(asked);
    if (ended.exit === 0) {
      log("A DEL that was left behind is done", { containerId, ifName });
      await rm(file, { force: true });
    } else {
      const { out } = ended;
      log("A DEL that was left behind failed, and is tried again", { containerId, ifName, out });
    }
    return ended;
  }

  async #serve(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { exit, out } = await this.#answerTo(asked).catch(
      (error: unknown): Ended => failed(new CniError(CODE.internal, `Unexpected ${String(error)}`)),
    );
    // The plugin prints the body, and ends with an error for every status but 200.
    response.writeHead(exit === 0 ? 200 : 400, { "content-type": "application/json" }).end(out);
  }

  async #answerTo(asked: IncomingMessage): Promise<Ended> {
    const { method, url } = asked;
    if (method !== "POST" || url !== PATH)
      return failed(new CniError(CODE.decoding, `${method} ${url} is unknown; send POST ${PATH}.`));
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of asked) {
      bytes += chunk.length;
      if (bytes > REQUEST_BYTES_MAX)
        return failed(
          new CniError(CODE.decoding, `The request has more than ${REQUEST_BYTES_MAX} bytes.`),
        );
      chunks.push(chunk);
    }
    const read = parsed(Buffer.concat(chunks));
    if (read) return this.#answerInTurn(read);
    return failed(
      new CniError(
        CODE.decoding,
        "The request is not JSON with command, containerId, ifName, args and config.",
      ),
    );
  }

  #answerInTurn(asked: Request): Promise<Ended> {
    const attachment = `${asked.containerId}~${asked.ifName}`;
    return this.#inTurn(attachment, async () => {
      // A DEL from before an ADD must not come after it, and must not be lost: it may be of another network.
      if (asked.command === "ADD") {
        const folder = join(this.#options.folder, DELETES);
        for (const name of await readdir(folder).catch(noneIfAbsent)) {
          if (attachmentIn(name) !== attachment) continue;
          const { exit, out } = await this.#carryOutLeft(name);
          if (exit !== 0) return failed(behind(out, join(folder, name)));
        }
      }
      return this.#carryOut(asked);
    });
  }

  /** Acts after the commands that came before for the same attachment. */
  async #inTurn(attachment: string, act: () => Promise<Ended>): Promise<Ended> {
    const before = this.#inWork.get(attachment);
    const acting = (async () => {
      await before?.catch(() => undefined);
      return act();
    })();
    this.#inWork.set(attachment, acting);
    try {
      return await acting;
    } finally {
      if (this.#inWork.get(attachment) === acting) this.#inWork.delete(attachment);
    }
  }

  #carryOut({ command, containerId, ifName, args, config }: Request): Promise<Ended> {
    const variables = {
      CNI_COMMAND: command,
      CNI_CONTAINERID: containerId,
      CNI_IFNAME: ifName,
      CNI_ARGS: args,
    };
    return this.#options.answer(variables, JSON.stringify(config));
  }
}

/** Returns no names for a folder that somebody removed. */
function noneIfAbsent(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}

/** Returns the error of an ADD that waits for a DEL, whose error is `out`. */
function behind(out: string, file: string): CniError {
  const { code, msg } = JSON.parse(out) as ReturnType<typeof errorObject>;
  return new CniError(
    code,
    `A DEL that was left behind for this interface failed: ${msg}`,
    `It is in ${file}, and is tried again. Remove the file if it can never succeed.`,
  );
}

/** Returns the attachment of a file, whose name begins with its container and interface. Its network has the rest. */
const attachmentIn = (name: string): string => name.split("~").slice(0, 2).join("~");

/** Returns true for a file that the plugin still writes: it gets its name at the end. */
const isUnfinished = (name: string): boolean => name.startsWith(".");

/** Returns the command in a text; nothing if there is none. */
function parsed(bytes: Buffer): Request | undefined {
  const read = utf8Text(bytes);
  if (!read.ok) return undefined;
  try {
    const checked = v.safeParse(request, JSON.parse(read.value));
    return checked.success ? checked.output : undefined;
  } catch {
    return undefined;
  }
}

const failed = (error: CniError): Ended => ({
  exit: 1,
  out: `${JSON.stringify(errorObject(CNI_VERSION, error))}\n`,
});
