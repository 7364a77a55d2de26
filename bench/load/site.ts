import { type EnvironmentName, isEnvironmentName } from "../../cdk/environments.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { type Client, makeClient } from "../../src/local/client.ts";
import { asksForDeployed } from "../../src/local/deployed.ts";
import { freePort } from "../../src/local/emulator.ts";
import { openStorage } from "../../src/local/storage.ts";
import { contextOf } from "../../src/wiring.ts";
import { emulatorOf, functionsOf, type Started, start } from "../../test/local/process.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { environmentOf } from "../../twin/options.ts";
import { signing } from "../../twin/signing.ts";
import { openDataOf, synthesised } from "../../twin/twin.ts";

/** The scheduled runs run continuously, because they must not free the addresses of callers either. */
const SCHEDULED_RUNS = ["--reclaim-seconds", "1", "--repair-seconds", "1", "--work-seconds", "1"];

/** The server's table: its own file, the embedded DynamoDB, or the twin of an environment. */
export type Kept = "file" | "dynamodb" | EnvironmentName;

const ARGUMENTS: Readonly<Record<Kept, readonly string[]>> = {
  file: SCHEDULED_RUNS,
  dynamodb: ["--dynamodb", ...SCHEDULED_RUNS],
  dev: ["--deployed", "dev", "--schedule-seconds", "1"],
  prod: ["--deployed", "prod", "--schedule-seconds", "1"],
};

/** Reads the kind of table from a command line; returns it and the remaining arguments. */
export function keptBy(args: readonly string[]): { table: Kept; rest: readonly string[] } {
  if (asksForDeployed(args)) {
    const { environment, rest } = environmentOf(args);
    return { table: environment, rest };
  }
  const rest = args.filter((arg) => arg !== "--dynamodb");
  return { table: rest.length < args.length ? "dynamodb" : "file", rest };
}

const isTwin = (table: Kept): table is EnvironmentName => isEnvironmentName(table);

/** Runs `npm start -- --data DIR` as a process of its own, always on the same port, and controls it. */
export class Site {
  readonly client: Client;
  readonly #table: Kept;
  readonly #directory: string;
  readonly #port: number;
  #plat: Started | undefined;

  private constructor(table: Kept, directory: string, port: number, client: Client) {
    this.#table = table;
    this.#directory = directory;
    this.#port = port;
    this.client = client;
    // The server never outlives this process.
    process.once("exit", () => this.#plat?.process.kill("SIGKILL"));
  }

  static async open(table: Kept, directory: string, sockets: number): Promise<Site> {
    const port = await freePort();
    const sign = isTwin(table)
      ? signing(OPERATOR_KEYS, (await synthesised(table)).deployment.region)
      : undefined;
    const client = makeClient(`http://127.0.0.1:${port}`, sockets, sign);
    const site = new Site(table, directory, port, client);
    await site.start();
    return site;
  }

  async start(): Promise<void> {
    const place = ["--port", `${this.#port}`, "--data", this.#directory];
    const plat = await start([...place, ...ARGUMENTS[this.#table]]);
    this.#plat = plat;
    void plat.ended.then(({ code, errors }) => {
      if (this.#plat === plat) console.error(`The server ended by itself, with ${code}: ${errors}`);
    });
  }

  /** Stops the server, as Ctrl-C does. */
  async stop(): Promise<void> {
    const plat = this.#running();
    this.#plat = undefined;
    plat.process.kill("SIGTERM");
    const { code, errors } = await plat.ended;
    if (code !== 0) throw new Error(`the server ended with code ${code}: ${errors}`);
  }

  /** Kills the server with -9, and starts it again over the same data. */
  async killServer(): Promise<void> {
    const plat = this.#running();
    this.#plat = undefined;
    plat.process.kill("SIGKILL");
    await plat.ended;
    await this.start();
  }

  /** Kills the embedded DynamoDB alone with -9; the server has to start it again. */
  async killDatabase(): Promise<void> {
    process.kill(await emulatorOf(this.#running().process.pid as number), "SIGKILL");
  }

  /** Kills every process of a function of the twin with -9, active or frozen. */
  async killFunctions(): Promise<void> {
    for (const pid of await functionsOf(this.#running().process.pid as number))
      process.kill(pid, "SIGKILL");
  }

  /** Opens the table while no server uses it, in a context with the real clock. */
  async withTable<T>(look: (context: Context) => Promise<T>): Promise<T> {
    if (this.#plat) throw new Error("the server has the table");
    const data = this.#directory;
    const opened = isTwin(this.#table)
      ? await openDataOf(this.#table, data)
      : await openStorage({ table: this.#table, data }).then(({ table, stop }) => ({
          context: contextOf(table),
          stop,
        }));
    try {
      return await look(opened.context);
    } finally {
      await opened.stop();
    }
  }

  /** Closes everything, in any state. */
  async close(): Promise<void> {
    this.client.close();
    const plat = this.#plat;
    this.#plat = undefined;
    plat?.process.kill("SIGKILL");
    await plat?.ended;
  }

  #running(): Started {
    if (!this.#plat) throw new Error("no server runs");
    return this.#plat;
  }
}
