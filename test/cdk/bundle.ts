import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { DeployedFunction } from "../../twin/assembly.ts";
import { lambdaNode } from "../../twin/node.ts";

const RUNTIME = fileURLToPath(new URL("./runtime.ts", import.meta.url));

/** A written bundle, loaded in a process of its own as Lambda loads it. */
export class Bundle {
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.#process = process;
  }

  /**
   * @param surroundings what Lambda adds to the variables of the template
   * @throws what the bundle throws as it is loaded
   */
  static async load(
    { directory, variables }: DeployedFunction,
    surroundings: Readonly<Record<string, string>>,
  ): Promise<Bundle> {
    const file = pathToFileURL(join(directory, "index.mjs")).href;
    const child = fork(RUNTIME, [file], {
      execPath: lambdaNode(),
      execArgv: [],
      // Its log is CloudWatch's; what it says beside is ours to see.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...(variables as Record<string, string>), ...surroundings },
    });
    const bundle = new Bundle(child);
    await bundle.#told();
    return bundle;
  }

  /** @throws what the handler throws */
  async invoke(event: unknown): Promise<unknown> {
    const told = this.#told();
    this.#process.send(event as object);
    return told;
  }

  async end(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.disconnect();
    await ended;
  }

  async #told(): Promise<unknown> {
    const [{ result, error }] = await once(this.#process, "message");
    if (error !== undefined) throw new Error(error);
    return result;
  }
}
