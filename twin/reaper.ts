import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const REAPER = fileURLToPath(new URL("./reaper.mjs", import.meta.url));

/** Starts a process that ends the watched processes when this one has ended, even after kill -9. */
export class Reaper {
  readonly #process: ChildProcess;

  constructor() {
    this.#process = spawn(process.execPath, [REAPER], {
      stdio: ["pipe", "ignore", "inherit"],
      detached: true,
    });
    this.#process.stdin?.on("error", () => {});
  }

  watch(child: ChildProcess): void {
    this.#process.stdin?.write(`+${child.pid}\n`);
    child.once("exit", () => this.#process.stdin?.write(`-${child.pid}\n`));
  }

  stop(): void {
    this.#process.stdin?.end();
  }
}
