import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { COMMAND_BUILD } from "../pack/command.ts";
import { makeOnce } from "../pack/made-once.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Within the clone, because the programs import the packages that they do not contain. */
const PLACE = join(ROOT, "dist", "start");
/** Names the folder that the processes of a run share. */
const SHARED = "PLAT_PROGRAMS";

const bundling = new Map<string, Promise<string>>();
let own: string | undefined;

/**
 * Bundles a program of the sources once in a run, for tests that start it. A start from the sources takes a second of
 * the processor, most of it to read a thousand files.
 *
 * @param entry the source of the program, from the root of the repository
 * @returns the path of the bundle, which Node.js runs
 * @throws if the sources cannot be bundled
 */
export function bundledProgram(entry: string): Promise<string> {
  const made = bundling.get(entry) ?? bundleOnce(entry);
  bundling.set(entry, made);
  return made;
}

/** Vitest calls this before the tests, so that their processes share the programs, and the result behind them. */
export function setup(): () => void {
  const folder = newFolder();
  process.env[SHARED] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

async function bundleOnce(entry: string): Promise<string> {
  const folder = process.env[SHARED] ?? ownFolder();
  const directory = join(folder, entry.replaceAll("/", "-").replace(/\.ts$/, ""));
  const isMade = () =>
    stat(directory).then(
      () => true,
      () => false,
    );
  await makeOnce(directory, isMade, async (outdir) => {
    await build({
      ...COMMAND_BUILD,
      absWorkingDir: ROOT,
      entryPoints: { program: entry, "publishing-thread": "src/local/publishing-thread.ts" },
      outdir,
      minify: false,
      // The twin is loaded where it is asked for. Of a CommonJS module in a part, an import would get the default only.
      splitting: true,
      mainFields: ["module", "main"],
      external: ["lmdb", "aws-cdk-lib", "constructs", "esbuild"],
      plugins: [placesOfSources],
    });
  });
  return join(directory, "program.js");
}

/** Files find others relative to themselves. Only the server looks for its thread beside the bundle. */
const placesOfSources: Plugin = {
  name: "places of the sources",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes("/node_modules/") || path.endsWith("/publishing-beside.ts"))
        return undefined;
      const text = await readFile(path, "utf8");
      const url = JSON.stringify(pathToFileURL(path).href);
      return { loader: "ts", contents: text.replaceAll("import.meta.url", url) };
    });
  },
};

function ownFolder(): string {
  if (own) return own;
  const folder = newFolder();
  own = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function newFolder(): string {
  mkdirSync(PLACE, { recursive: true });
  return mkdtempSync(join(PLACE, "programs-"));
}
