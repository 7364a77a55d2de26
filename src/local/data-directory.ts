import { isAbsolute, posix, win32 } from "node:path";

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
