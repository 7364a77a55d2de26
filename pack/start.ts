import { pathToFileURL } from "node:url";
import { bundleServer } from "./server-bundle.ts";

/** `npm start`: bundles the server, and runs it in this process. */
await import(pathToFileURL(await bundleServer("src/local/main.ts")).href);
