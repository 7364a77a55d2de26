import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeDirectory } from "./data-directory.ts";

/** An embedded DynamoDB in a process of its own. */
export interface Emulator {
  readonly endpoint: string;
  readonly port: number;
  /** Resolves when the process has ended, with its last output. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** The file of the data; without it, the memory of the process. */
  readonly file?: string | undefined;
  /** A free port if absent. */
  readonly port?: number;
}

const GUARD = fileURLToPath(new URL("./guard.mjs", import.meta.url));
const PORTS_TRIED_MAX = 5;
const READY_MS_MAX = 120_000;
const READY_POLL_MS = 10;
const OUTPUT_CHARACTERS_KEPT = 2_000;

/**
 * Returns the program of this platform, if npm has installed its package; npm installs it only if the platform can run
 * it.
 */
export function emulatorBinary(): string | undefined {
  try {
    const manifest = import.meta.resolve(
      `@dynoxide/${process.platform}-${process.arch}/package.json`,
    );
    const binary = join(dirname(fileURLToPath(manifest)), "dynoxide");
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/** Starts the embedded DynamoDB and waits until it answers. It never outlives this process. */
export async function startEmulator({ file, port }: EmulatorOptions = {}): Promise<Emulator> {
  const binary = emulatorBinary();
  if (!binary) throw new Error("there is no embedded DynamoDB for this platform");
  if (file) makeDirectory(dirname(file));
  const kept = file ? ["--db-path", file] : [];
  const command = (port: number) =>
    [binary, "serve", "--host", "127.0.0.1", "--port", String(port), ...kept] as const;
  return startBeside("the embedded DynamoDB", command, port);
}

/**
 * Starts a program that serves DynamoDB and waits until it answers. It never outlives this process.
 *
 * @param name the name of the program, for messages
 * @param command returns the program and its arguments for a port
 * @param named the port; a free one if absent
 */
export async function startBeside(
  name: string,
  command: (port: number) => readonly string[],
  named?: number,
): Promise<Emulator> {
  for (let attempt = 0; attempt < PORTS_TRIED_MAX; attempt++) {
    // Another process may take the port between the check and the start.
    const port = named ?? (await freePort());
    const emulator = spawnBeside(command(port), port);
    const failure = await whyNotReady(emulator);
    if (failure === undefined) return emulator;
    await emulator.stop();
    if (!failure.includes("already in use")) throw new Error(`${name} did not start: ${failure}`);
  }
  throw new Error(`${name} found no free port in ${PORTS_TRIED_MAX} tries`);
}

/** Returns a port on which no process listens at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

function spawnBeside(command: readonly string[], port: number): Emulator {
  const guard = spawn(
    process.execPath,
    [GUARD, ...command],
    // In a process group of its own, because Ctrl-C must reach the server only, which first finishes its requests.
    { stdio: ["pipe", "ignore", "pipe"], detached: true },
  );
  let output = "";
  guard.stderr?.on("data", (chunk) => {
    output = (output + chunk).slice(-OUTPUT_CHARACTERS_KEPT);
  });
  // A guard that has ended closes its pipe, and a late end() must not crash this process.
  guard.stdin?.on("error", () => {});
  const exited = new Promise<string>((resolve) => {
    guard.once("error", (error) => resolve(error.message));
    guard.once("close", (code) => resolve(output.trim() || `it ended with code ${code}`));
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    exited,
    async stop() {
      guard.stdin?.end();
      await exited;
    },
  };
}

/** Polls until the emulator answers; otherwise returns the reason why it does not. */
async function whyNotReady({ endpoint, exited }: Emulator): Promise<string | undefined> {
  let failure: string | undefined;
  void exited.then((output) => {
    failure = output;
  });
  const untilMs = performance.now() + READY_MS_MAX;
  while (failure === undefined && performance.now() < untilMs) {
    const response = await fetch(endpoint).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok && failure === undefined) return undefined;
    await sleep(READY_POLL_MS);
  }
  return failure ?? `it gave no answer in ${READY_MS_MAX / 1000} s`;
}
