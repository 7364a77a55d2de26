import { Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { pathIn } from "../../src/api/route.ts";
import { run } from "../../src/cli/program.ts";
import type { Io } from "../../src/cli/shell/io.ts";
import type { LocalPlat } from "../../src/local/plat.ts";
import type { StorageOptions } from "../../src/local/storage.ts";
import { unhurriedPlat } from "../local/unhurried-plat.ts";

/** What each dry run says on stderr before anything else. */
export const DRY_RUN = "Note: this is a dry run; nothing was written.\n";

export interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface Given {
  /** All of stdin, or its parts as they come. */
  readonly stdin?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: number | (() => number);
  /** The terminal; by default a pipe. */
  readonly terminal?: Partial<Io["terminal"]>;
  /** Called while the command waits. */
  readonly sleep?: Io["sleep"];
  /** A person's answer to a confirmation, by default yes; `no terminal` if no person can answer. */
  readonly ask?: Io["ask"] | "no terminal";
  /** Lets the test press Ctrl-C: it receives the command's handler, and nothing once the command stops listening. */
  readonly interrupt?: (press: (() => void) | undefined) => void;
  /** The progress of long work that a person sees. */
  readonly progress?: string[];
}

/** A person who gives the same answer to each question, and the questions. */
export function person(answer: boolean) {
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return answer;
  };
  return { questions, ask };
}

const partsOf = (stdin: NonNullable<Given["stdin"]>): AsyncIterable<Uint8Array> =>
  typeof stdin === "string" || stdin instanceof Uint8Array
    ? Readable.from([Buffer.from(stdin)])
    : stdin;

/**
 * Makes a terminal with a running server, and an address space for each test. `plat("pool", "get")` returns the output
 * of the command, and its exit code.
 *
 * @param storage the table of the server: the memory of this process, or with `TERMINAL_TABLE=dynamodb` the embedded
 * DynamoDB, which publishes nothing
 */
export function terminal(
  storage: StorageOptions = {
    table: process.env.TERMINAL_TABLE === "dynamodb" ? "dynamodb" : "memory",
  },
) {
  let server: LocalPlat;
  let tests = 0;
  beforeAll(async () => {
    server = await unhurriedPlat({ storage });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    tests++;
  });
  const space = () => `test-${tests}`;
  const ioOf = (given: Given, said: { out: string; err: string }): Io => ({
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    progress: (text) => {
      given.progress?.push(text);
      return { update: (next) => given.progress?.push(next), done: () => {} };
    },
    terminal: { columns: undefined, outHasColors: false, errHasColors: false, ...given.terminal },
    env: { PLAT_ENDPOINT: server.url, PLAT_SPACE: space(), ...given.env },
    stdin: () => partsOf(given.stdin ?? ""),
    nowMs: () => (typeof given.nowMs === "function" ? given.nowMs() : (given.nowMs ?? Date.now())),
    sleep: given.sleep ?? (async () => {}),
    ask: given.ask === "no terminal" ? undefined : (given.ask ?? (async () => true)),
    onInterrupt(act) {
      given.interrupt?.(act);
      return () => given.interrupt?.(undefined);
    },
    outlastReader: () => {},
  });
  const platWith = async (given: Given, ...args: readonly string[]): Promise<Ended> => {
    const said = { out: "", err: "" };
    const exit = await run(args, ioOf(given, said));
    return { exit, ...said };
  };
  return {
    plat: (...args: readonly string[]) => platWith({}, ...args),
    platWith,
    server: () => server,
    space,
    io: () => ioOf({}, { out: "", err: "" }),
    /** Calls the API itself, if no command can do what a test needs. */
    async call(method: string, path: string, body?: unknown) {
      const response = await fetch(`${server.url}${pathIn(space(), path)}`, {
        method,
        headers: { "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { status, headers } = response;
      // biome-ignore lint/suspicious/noExplicitAny: tests look into it field by field
      return { status, headers, body: (await response.json()) as any };
    },
  };
}
