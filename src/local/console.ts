import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Problem } from "../contract/schema/problem.ts";

/** A file of the console, as an answer over HTTP. */
export interface ConsoleFile {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the file of the console that a request reads. It returns nothing for any other request. */
export type Console = (request: IncomingMessage) => ConsoleFile | Problem | undefined;

/** The folder into which `npm run console` builds. In a package it is beside the command. */
export const CONSOLE_FOLDER = folderOf("./console") ?? folderOf("../../dist/console") ?? "";

const PAGE = "/console/index.html";

/**
 * The page may load what its own server has, and nothing else: no script within the page, no form, no frame. See
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP.
 */
const SAFE = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Reads the built console into memory, and serves it under `/console`. A path without a file is a page of the console,
 * which reads the rest of the path itself.
 */
export function readConsole(folder: string = CONSOLE_FOLDER): Console {
  const files = existsSync(folder) ? filesIn(folder) : new Map<string, ConsoleFile>();
  return ({ method = "", url = "" }) => {
    const [path = ""] = url.split("?");
    if (!isConsole(path) || (method !== "GET" && method !== "HEAD")) return undefined;
    if (path.startsWith("/console/assets/") && !files.has(path))
      return new Problem("not_found", `The console has no file ${JSON.stringify(path)}.`);
    return (
      files.get(path) ??
      files.get(PAGE) ??
      new Problem("not_found", "The console is not built. Run `npm run console`, and start again.")
    );
  };
}

/** Returns a folder beside this file if it has a built console. */
function folderOf(beside: string): string | undefined {
  const folder = fileURLToPath(new URL(beside, import.meta.url));
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}

const isConsole = (path: string) => path === "/console" || path.startsWith("/console/");

function filesIn(folder: string): ReadonlyMap<string, ConsoleFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        const path = `/console${file.slice(folder.length).replaceAll("\\", "/")}`;
        return [path, answerOf(path, readFileSync(file, "utf8"))];
      }),
  );
}

const answerOf = (path: string, body: string): ConsoleFile => ({
  statusCode: 200,
  headers: {
    ...SAFE,
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    // The name of an asset has the hash of its content.
    "cache-control": path.startsWith("/console/assets/")
      ? "public, max-age=31536000, immutable"
      : "no-cache",
  },
  body,
});
