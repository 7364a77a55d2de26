import { copyFile, mkdir, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { COMMAND_BUILD } from "./command.ts";

/**
 * `npm start`: bundles the server into `dist/start`, and runs it. The bundle takes a fifth less of the processor than
 * the sources, because tsx names each function anew whenever it is made.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FOLDER = `${ROOT}dist/start`;

const { outputFiles } = await build({
  ...COMMAND_BUILD,
  absWorkingDir: ROOT,
  entryPoints: ["src/local/main.ts", "src/local/publishing-thread.ts"],
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
await import(`${FOLDER}/main.js`);
