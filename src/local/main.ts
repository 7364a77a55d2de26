import "./environment.ts";
import { readOptions, USAGE } from "./options.ts";
import { type Plat, startPlat } from "./plat.ts";
import { UsageError } from "./usage-error.ts";

/** `npm start`: all of Plat in one process, until Ctrl-C. */
try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options) run(await startPlat(options));
  else console.log(USAGE);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

function run(plat: Plat): void {
  console.log(plat.sentence);
  console.log(`Plat listens on ${plat.url}`);
  const stop = async () => {
    await plat.stop();
    console.log("Plat has stopped.");
    process.exit(0);
  };
  // The second signal finds the way out taken, and is left to end the process.
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  void plat.lost.then((reason) => {
    console.error(`The embedded DynamoDB has ended, and what it kept is out of reach: ${reason}`);
    process.exit(1);
  });
}

function sentenceOf(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE")
    return `Port ${port} is taken by another program; choose another one with --port.`;
  if (code === "EACCES")
    return `Port ${port} may not be listened on; choose another one with --port.`;
  return message;
}
