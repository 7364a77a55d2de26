import type { Context } from "../../src/allocator/context.ts";
import { type Client, makeClient } from "../../src/local/client.ts";
import { freePort } from "../../src/local/emulator.ts";
import { openStorage } from "../../src/local/storage.ts";
import { contextOf } from "../../src/wiring.ts";
import { emulatorOf, type Started, start } from "../../test/local/process.ts";

/** The passes run all the time: they must not take anything from a caller either. */
const PASSES = ["--reclaim-seconds", "1", "--collect-seconds", "1", "--work-seconds", "1"];

/** Which table the server keeps its data in: its own file, or the embedded DynamoDB. */
export type Kept = "file" | "dynamodb";

/** `npm start -- --data DIR` as a process of its own, always on the same port, and what can be done to it. */
export class Site {
  readonly client: Client;
  readonly #table: Kept;
  readonly #directory: string;
  readonly #port: number;
  #plat: Started | undefined;

  private constructor(table: Kept, directory: string, port: number, sockets: number) {
    this.#table = table;
    this.#directory = directory;
    this.#port = port;
    this.client = makeClient(`http://127.0.0.1:${port}`, sockets);
    // However this process ends, the server does not outlive it.
    process.once("exit", () => this.#plat?.process.kill("SIGKILL"));
  }

  static async open(table: Kept, directory: string, sockets: number): Promise<Site> {
    const site = new Site(table, directory, await freePort(), sockets);
    await site.start();
    return site;
  }

  async start(): Promise<void> {
    const table = this.#table === "dynamodb" ? ["--dynamodb"] : [];
    const place = ["--port", `${this.#port}`, "--data", this.#directory];
    this.#plat = await start([...place, ...table, ...PASSES]);
  }

  /** As by Ctrl-C. */
  async stop(): Promise<void> {
    const plat = this.#running();
    this.#plat = undefined;
    plat.process.kill("SIGTERM");
    const { code, errors } = await plat.ended;
    if (code !== 0) throw new Error(`the server ended with code ${code}: ${errors}`);
  }

  /** kill -9 of the server, and its next start over the same data. */
  async killServer(): Promise<void> {
    const plat = this.#running();
    plat.process.kill("SIGKILL");
    await plat.ended;
    await this.start();
  }

  /** kill -9 of the embedded DynamoDB alone; it is the server that has to start it again. */
  async killDatabase(): Promise<void> {
    process.kill(await emulatorOf(this.#running().process.pid as number), "SIGKILL");
  }

  /** A look into the table while no server has it: a context with the real clock. */
  async withTable<T>(look: (context: Context) => Promise<T>): Promise<T> {
    if (this.#plat) throw new Error("the server has the table");
    const storage = await openStorage({ table: this.#table, data: this.#directory });
    try {
      return await look(contextOf(storage.table));
    } finally {
      await storage.stop();
    }
  }

  /** Whatever state it is in. */
  async close(): Promise<void> {
    this.client.close();
    this.#plat?.process.kill("SIGKILL");
    await this.#plat?.ended;
  }

  #running(): Started {
    if (!this.#plat) throw new Error("no server runs");
    return this.#plat;
  }
}
