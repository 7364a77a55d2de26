import { serveUntilStopped } from "./serve.ts";

/** `npm start`: all of Plat in one process, until Ctrl-C. */
process.exitCode = await serveUntilStopped(process.argv.slice(2), "npm start --");
