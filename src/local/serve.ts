import "./environment.ts";
import { CorruptItemError } from "../base/outcome.ts";
import { PORT_DEFAULT, serverHelp } from "../base/server-options.ts";
import { asksForDeployed, loadTwin } from "./deployed.ts";
import { expectNoEndpoint, readOptions } from "./options.ts";
import { type LocalPlat, startPlat } from "./plat.ts";
import { CONSOLE_FOLDER, CONSOLE_PATH } from "./server.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Starts all of Plat in this process, which goes on until Ctrl-C, and returns the exit code for an end before that.
 *
 * @param command the start of the command line, for the help
 */
export async function serveUntilStopped(args: readonly string[], command: string): Promise<number> {
  try {
    if (asksForDeployed(args)) {
      const twin = await startTwin(args);
      if (twin) run(twin);
      return 0;
    }
    const options = readOptions(args, process.env);
    if (!options) console.log(serverHelp(command));
    else {
      const plat = await startPlat(options);
      run(plat);
      for (const line of nextSteps(plat.url, command)) console.log(line);
    }
    return 0;
  } catch (error) {
    console.error(sentenceOf(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function startTwin(args: readonly string[]) {
  expectNoEndpoint("--deployed", process.env);
  return (await loadTwin()).startDeployed(args);
}

/** Returns the lines that say where the console is, and what to type next. */
function nextSteps(url: string, command: string): readonly string[] {
  const plat = command === "plat serve" ? "plat" : "npm run plat --";
  const endpoint = url === `http://127.0.0.1:${PORT_DEFAULT}` ? "" : ` --endpoint ${url}`;
  return [
    ...(CONSOLE_FOLDER === "" ? [] : [`The console is at ${url}${CONSOLE_PATH}`]),
    `Next, in another terminal: ${plat} show${endpoint}`,
  ];
}

function run(plat: Pick<LocalPlat, "sentence" | "url" | "lost" | "stop">): void {
  console.log(plat.sentence);
  console.log(`Plat listens on ${plat.url}`);
  const stop = async () => {
    await plat.stop();
    console.log("Plat has stopped.");
    process.exit(0);
  };
  // `once` removes the handler, so a second signal ends the process.
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  void plat.lost.then((sentence) => {
    console.error(sentence);
    process.exit(1);
  });
}

/** Returns the sentence for the terminal about an error that ends a server. */
export function sentenceOf(error: unknown): string {
  const { code, address, port, message } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (code === "EADDRINUSE")
    return `Port ${port} is taken by another program; choose another one with --port.`;
  if (code === "EADDRNOTAVAIL")
    return `This machine has no address ${address}; choose another one with --listen.`;
  if (code === "EACCES" && port !== undefined)
    return `Port ${port} is not permitted; choose another one with --port.`;
  if (error instanceof CorruptItemError)
    return `${error.sentence} Nothing was written. Start the version that wrote it, or name another directory with --data.`;
  return message;
}
