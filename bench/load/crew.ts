import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Client, HttpReply } from "../../src/local/client.ts";
import { createTable } from "../../src/local/create-table.ts";
import { type Emulator, startEmulator } from "../../src/local/emulator.ts";
import { TABLE_NAME } from "../../src/local/storage.ts";
import { tableThrough } from "../../src/table/dynamodb-table.ts";
import { contextOf, dynamoClient } from "../../src/wiring.ts";
import { emulatorOf } from "../../test/local/process.ts";
import type { Grounds } from "./aftermath.ts";
import { copyDatabase, databaseIn } from "./database.ts";
import type { Functions } from "./functions.ts";
import { LeanClient } from "./lean.ts";
import { persistentTable } from "./persistent-table.ts";

/** A message to a worker. */
export interface Asked {
  readonly id: number;
  readonly call?: Parameters<Client["call"]>;
  readonly scheduledRun?: keyof Functions["scheduledRuns"];
}

/** The answer of a worker; the first one, with number 0, means that the worker is ready. */
export interface Told {
  readonly id: number;
  readonly reply?: HttpReply | undefined;
}

interface Worker {
  readonly process: ChildProcess;
  readonly ended: Promise<unknown>;
  readonly waiting: Map<number, { resolve(reply: HttpReply): void; reject(error: Error): void }>;
}

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

const programIn = (directory: string) => join(directory, "worker.mjs");

/** Bundles the functions as for Lambda, so that a process starts in a fraction of a second. */
async function bundle(outfile: string): Promise<void> {
  // CommonJS packages require Node's modules.
  const js =
    'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  await build({
    entryPoints: [WORKER],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js },
  });
}

/**
 * Functions in processes of their own, and a database on disk. It replaces `Site` without its slower parts. Any of the
 * processes can be killed.
 */
export class Crew implements Grounds {
  /** Each call goes to the next worker in turn. */
  readonly client: Client;
  readonly #file: string;
  readonly #program: string;
  readonly #count: number;
  #aheadMs: number;
  #emulator: Emulator;
  #workers: Worker[] = [];
  #asked = 0;

  private constructor(directory: string, count: number, aheadMs: number, emulator: Emulator) {
    this.#file = databaseIn(directory);
    this.#program = programIn(directory);
    this.#count = count;
    this.#aheadMs = aheadMs;
    this.#emulator = emulator;
    this.client = { call: (...call) => this.#ask({ call }), close() {} };
  }

  /**
   * @param count the number of processes
   * @param aheadMs how far their clocks are ahead
   */
  static async open(directory: string, count: number, aheadMs: number): Promise<Crew> {
    await bundle(programIn(directory));
    const emulator = await startEmulator({ file: databaseIn(directory) });
    const client = dynamoClient(emulator.endpoint);
    await createTable(client, TABLE_NAME);
    client.destroy();
    const crew = new Crew(directory, count, aheadMs, emulator);
    await crew.start();
    return crew;
  }

  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Moves the clocks of the processes further ahead, from their next start on. */
  advance(ms: number): void {
    this.#aheadMs += ms;
  }

  async start(): Promise<void> {
    const all = Array.from({ length: this.#count }, () => this.#spawn());
    this.#workers = await Promise.all(all);
  }

  /** Stops the processes; nothing may be in progress. */
  async stop(): Promise<void> {
    const workers = this.#workers.splice(0);
    for (const worker of workers) worker.process.disconnect();
    await Promise.all(workers.map(({ ended }) => ended));
  }

  /** Runs one scheduled run; the result is ignored if its process is killed. */
  async scheduledRun(scheduledRun: keyof Functions["scheduledRuns"]): Promise<void> {
    await this.#ask({ scheduledRun }).catch(() => undefined);
  }

  async killWorker(index: number): Promise<void> {
    const [worker] = this.#workers.splice(index, 1);
    worker?.process.kill("SIGKILL");
    await worker?.ended;
    this.#workers.push(await this.#spawn());
  }

  async killDatabase(): Promise<void> {
    process.kill(await emulatorOf(process.pid), "SIGKILL");
    await this.#emulator.exited;
    this.#emulator = await startEmulator({ file: this.#file, port: this.#emulator.port });
  }

  /** Copies the database; nothing may be in progress, and no process may read the table. */
  async copyDatabase(to: string): Promise<void> {
    await this.#emulator.stop();
    await copyDatabase(this.#file, to);
    this.#emulator = await startEmulator({ file: this.#file, port: this.#emulator.port });
  }

  async withTable<T>(look: (context: Context) => Promise<T>): Promise<T> {
    const client = new LeanClient(this.#emulator.endpoint);
    try {
      const context = contextOf(persistentTable(tableThrough(client, TABLE_NAME)));
      return await look({ ...context, now: () => Date.now() + this.#aheadMs });
    } finally {
      client.destroy();
    }
  }

  /** Closes all processes, in any state. */
  async close(): Promise<void> {
    for (const worker of this.#workers) worker.process.kill("SIGKILL");
    await Promise.all(this.#workers.map(({ ended }) => ended));
    await this.#emulator.stop();
  }

  async #spawn(): Promise<Worker> {
    const child = fork(this.#program, [this.#emulator.endpoint, String(this.#aheadMs)], {
      execArgv: [],
      env: { ...process.env, LOG_LEVEL: "SILENT" },
    });
    const waiting: Worker["waiting"] = new Map();
    const ended = once(child, "exit").then(() => {
      for (const { reject } of waiting.values()) reject(new Error("the worker is gone"));
      waiting.clear();
    });
    const ready = new Promise<void>((resolve, reject) => {
      child.on("message", ({ id, reply }: Told) => {
        if (id === 0) resolve();
        waiting.get(id)?.resolve(reply as HttpReply);
        waiting.delete(id);
      });
      void ended.then(() => reject(new Error("a worker did not start")));
    });
    await ready;
    return { process: child, ended, waiting };
  }

  #ask(asked: Omit<Asked, "id">): Promise<HttpReply> {
    const id = ++this.#asked;
    const worker = this.#workers[id % this.#workers.length];
    if (!worker) return Promise.reject(new Error("no worker runs"));
    return new Promise((resolve, reject) => {
      worker.waiting.set(id, { resolve, reject });
      // A process that was just killed no longer answers. Its end rejects the request.
      worker.process.send({ id, ...asked }, () => {});
    });
  }
}
