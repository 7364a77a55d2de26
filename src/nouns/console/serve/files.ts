import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { SignIn } from "../contract/sign-in.ts";

/** A file of the console, as an answer over HTTP. */
export interface ConsoleFile {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The settings of a console. */
export interface ConsoleSettings {
  readonly signIn: SignIn;
  /** The origins beside its own that signing in asks, such as `https://login.example.com`. */
  readonly origins: readonly string[];
}

/** Returns the file at a path; `missing` if there is none, and nothing for a path outside of the console. */
export type ConsoleFiles = (path: string) => ConsoleFile | "missing" | undefined;

const PAGE = "/console/index.html";
const CONFIG = "/console/config.json";
const ASSETS = "/console/assets/";

/**
 * Reads the built console into memory, and serves it under `/console`. A path without a file is a page of the console,
 * which reads the rest of the path itself.
 *
 * @param folder the folder of the built console; it may be missing
 */
export function consoleFiles(folder: string, settings: ConsoleSettings): ConsoleFiles {
  const safe = safetyOf(settings);
  const files = existsSync(folder) ? filesIn(folder, safe) : new Map<string, ConsoleFile>();
  if (files.size > 0)
    files.set(CONFIG, fileOf(CONFIG, `${JSON.stringify({ signIn: settings.signIn })}\n`, safe));
  return (path) => {
    if (path !== "/console" && !path.startsWith("/console/")) return undefined;
    if (path.startsWith(ASSETS)) return files.get(path) ?? "missing";
    return files.get(path) ?? files.get(PAGE) ?? "missing";
  };
}

/**
 * Returns the headers of each file. The page may load what its own server has, and nothing else: no script within the
 * page, no form, no frame. See https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP.
 */
const safetyOf = ({ origins }: ConsoleSettings) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    ["connect-src 'self'", ...origins].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
});

type Safety = ReturnType<typeof safetyOf>;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

function filesIn(folder: string, safe: Safety): Map<string, ConsoleFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = join(entry.parentPath, entry.name);
        const path = `/console${file.slice(folder.length).replaceAll("\\", "/")}`;
        return [path, fileOf(path, readFileSync(file, "utf8"), safe)];
      }),
  );
}

const fileOf = (path: string, body: string, safe: Safety): ConsoleFile => ({
  statusCode: 200,
  headers: {
    ...safe,
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    // The name of an asset has the hash of its content.
    "cache-control": path.startsWith(ASSETS) ? "public, max-age=31536000, immutable" : "no-cache",
  },
  body,
});
