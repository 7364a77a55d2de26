import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { COMMAND_BUILD } from "./command.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** As deep as the sources of the server, because the server finds the twin and the console relative to itself. */
const FOLDER = `${ROOT}dist/start`;

/**
 * Bundles a program that serves, with the thread that publishes beside it. A bundle takes a fifth less of the processor
 * than the sources, because tsx names each function anew whenever it is made.
 *
 * @param entry the source of the program, from the root of the repository
 * @returns the path of the bundle
 */
export async function bundleServer(entry: string): Promise<string> {
  const name = entry.replace(/^.*\/|\.ts$/g, "");
  const { outputFiles } = await build({
    ...COMMAND_BUILD,
    absWorkingDir: ROOT,
    entryPoints: { [name]: entry, "publishing-thread": "src/local/publishing-thread.ts" },
    outdir: FOLDER,
    minify: false,
    write: false,
  });
  await mkdir(FOLDER, { recursive: true });
  for (const { path, contents } of outputFiles) {
    // Another server may be starting from the same file.
    const written = `${path}.${process.pid}`;
    await writeFile(written, contents);
    await rename(written, path);
  }
  await copyFile(`${ROOT}src/local/guard.mjs`, `${FOLDER}/guard.mjs`);
  return `${FOLDER}/${name}.js`;
}
