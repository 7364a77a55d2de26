import { fileURLToPath } from "node:url";
import { consoleHandler, settingsOfEnvironment } from "../src/nouns/console/serve/answer.ts";

const folder = fileURLToPath(new URL("console", import.meta.url));

/** Serves the files of the console, which are beside it in its bundle. */
export const handler = consoleHandler(folder, settingsOfEnvironment());
