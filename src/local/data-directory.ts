import { existsSync, mkdirSync } from "node:fs";
import { dirname, isAbsolute, posix, resolve, win32 } from "node:path";
import { UsageError } from "./usage-error.ts";

const NAME = "plat";

/**
 * Returns where a user's programs keep their data on this platform: `%LOCALAPPDATA%`, `~/Library/Application Support`,
 * or the directory of the XDG Base Directory Specification (a relative `XDG_DATA_HOME` counts as none).
 */
export function dataDirectory(
  platform: NodeJS.Platform,
  home: string,
  { XDG_DATA_HOME = "", LOCALAPPDATA = "" }: Readonly<Record<string, string | undefined>>,
): string {
  if (platform === "win32")
    return win32.join(LOCALAPPDATA || win32.join(home, "AppData", "Local"), NAME);
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", NAME);
  const base = isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : posix.join(home, ".local", "share");
  return posix.join(base, NAME);
}

/**
 * Creates a directory of data with the ones above it. It makes one after the other, because `mkdir` of Node.js 20 tries
 * for ever in a file system that takes no directory (nodejs/node#31481).
 *
 * @throws {UsageError} if it cannot be created
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let one = resolve(path); !existsSync(one) && missing[0] !== one; one = dirname(one))
    missing.unshift(one);
  try {
    for (const one of missing) mkdirSync(one);
  } catch (cause) {
    throw new UsageError(
      `The directory ${path} cannot be created: ${(cause as Error).message}. Another one can be named with --data.`,
      { cause },
    );
  }
}
