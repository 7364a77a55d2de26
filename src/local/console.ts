import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Problem } from "../contract/schema/problem.ts";
import { type ConsoleFile, type ConsoleSettings, consoleFiles } from "../edge/console/files.ts";

/** Returns the file of the console that a request reads. It returns nothing for any other request. */
export type Console = (request: IncomingMessage) => ConsoleFile | Problem | undefined;

/** The folder into which `npm run console` builds. In a package it is beside the command. */
export const CONSOLE_FOLDER = folderOf("./console") ?? folderOf("../../dist/console") ?? "";

/** A laptop's server knows tokens only. */
const SETTINGS: ConsoleSettings = { signIn: { type: "token" }, origins: [] };

/** Reads the built console into memory, and serves it under `/console`. */
export function readConsole(
  folder: string = CONSOLE_FOLDER,
  settings: ConsoleSettings = SETTINGS,
): Console {
  const files = consoleFiles(folder, settings);
  return ({ method = "", url = "" }) => {
    if (method !== "GET" && method !== "HEAD") return undefined;
    const [path = ""] = url.split("?");
    const file = files(path);
    if (file !== "missing") return file;
    return new Problem(
      "not_found",
      files("/console/") === "missing"
        ? "The console is not built. Run `npm run console`, and start again."
        : `The console has no file ${JSON.stringify(path)}.`,
    );
  };
}

/** Returns a folder beside this file if it has a built console. */
function folderOf(beside: string): string | undefined {
  const folder = fileURLToPath(new URL(beside, import.meta.url));
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}
