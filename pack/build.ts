import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { ACCESS, type DeployedFunctionName } from "../cdk/access.ts";
import { bundleOf } from "../cdk/bundling.ts";
import { COMMAND_BUILD } from "./command.ts";
import { writePublished } from "./published.ts";

/**
 * `npm run build`: makes `dist`, and in `dist/package` the package as `npm pack ./dist/package` takes it. The command and each library are one file with everything
 * that they use, because a package that is installed for its client should bring no others. The libraries are there as
 * ES modules and as CommonJS.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));
process.chdir(ROOT);
/** In the package the constructs take the bundles of `functions`, in place of those that a clone makes. */
const packedCode: Plugin = {
  name: "packed code",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/code\.ts$/ }, () => ({ path: join(ROOT, "pack/packed-code.ts") }));
  },
};

// The console stays: it is built with the installation.
for (const made of ["dist/types", "dist/cjs", "dist/functions", "dist/maps"])
  await rm(made, { recursive: true, force: true });
await Promise.all([
  command(),
  plugin(),
  library("src/client/index.ts", "esm", "dist/client.js"),
  library("src/client/index.ts", "cjs", "dist/cjs/client.js"),
  library("cdk/index.ts", "esm", "dist/cdk.js"),
  library("cdk/index.ts", "cjs", "dist/cdk.cjs"),
  resourceHandler(),
  functions(),
  types(),
]);
await writePublished();

async function command(): Promise<void> {
  await build({ ...COMMAND_BUILD, outfile: "dist/plat.js" });
  await build({
    ...COMMAND_BUILD,
    entryPoints: ["src/controller/main.ts"],
    outfile: "dist/plat-controller.js",
  });
  // The thread that publishes beside the server.
  await build({
    ...COMMAND_BUILD,
    entryPoints: ["src/local/publishing-thread.ts"],
    outfile: "dist/publishing-thread.js",
  });
  // The embedded DynamoDB runs beside the server under this guard.
  await copyFile("src/local/guard.mjs", "dist/guard.mjs");
}

/** The plugin is there as its own script makes it. */
async function plugin(): Promise<void> {
  await promisify(execFile)("npm", ["run", "--silent", "build:cni", "--", "--log-level=warning"]);
}

/** A library is what its entry exports. The constructs are those of the CDK that a program has already. */
async function library(entry: string, format: "esm" | "cjs", outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    target: "node20.19",
    format,
    outfile,
    minify: true,
    sourcemap: true,
    legalComments: "eof",
    logLevel: "warning",
    external: ["aws-cdk-lib", "constructs"],
    plugins: [packedCode],
    ...(format === "esm"
      ? { banner: COMMAND_BUILD.banner }
      : {
          define: { "import.meta.url": "importMetaUrl" },
          banner: {
            js: 'const importMetaUrl=require("node:url").pathToFileURL(__filename).href;',
          },
        }),
  });
}

/**
 * The bundle of each function of an environment, with the console beside the function that serves it. The maps for
 * `plat trace` are apart, because the package would be twice as large with them.
 */
async function functions(): Promise<void> {
  await mkdir("dist/maps");
  for (const name of Object.keys(ACCESS) as DeployedFunctionName[]) {
    const directory = join("dist/functions", name);
    await mkdir(directory, { recursive: true });
    for (const [file, content] of bundleOf(name))
      await writeFile(
        file.endsWith(".map") ? join("dist/maps", `${name}.map`) : join(directory, file),
        content,
      );
  }
  await cp("dist/console", "dist/functions/console/console", { recursive: true });
}

/** The function of custom resources, in the folder that the constructs name as its code. */
async function resourceHandler(): Promise<void> {
  await build({
    entryPoints: ["src/constructs/handler/main.ts"],
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    alias: { "@aws-sdk/credential-provider-node": "./cdk/credentials.ts" },
    outfile: "dist/handler/index.mjs",
    minify: true,
    legalComments: "eof",
    logLevel: "warning",
  });
}

/** Writes the types of the libraries, once for each module format: the files that the two entries lead to. */
async function types(): Promise<void> {
  await promisify(execFile)("npx", ["tsc", "-p", "tsconfig.package.json"]);
  const reached = new Set<string>();
  for (const entry of ["src/client/index", "cdk/index"])
    await reach(join("dist/types", `${entry}.d.ts`), reached);
  const files = await readdir("dist/types", { recursive: true, withFileTypes: true });
  for (const found of files.filter((one) => one.isFile())) {
    const file = join(found.parentPath, found.name);
    if (!reached.has(file)) await rm(file);
  }
  await mkdir("dist/cjs", { recursive: true });
  await cp("dist/types", "dist/cjs/types", { recursive: true });
  await writeFile("dist/cjs/package.json", '{ "type": "commonjs" }\n');
}

/** Follows the imports of a declaration, and writes them as a package has them: with `.js`, not as the sources with `.ts`. */
async function reach(file: string, reached: Set<string>): Promise<void> {
  if (reached.has(file)) return;
  reached.add(file);
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/((?:from|import) ?\(?"\.[^"]+)\.ts"/g, '$1.js"'));
  for (const [, imported = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.[tj]s"/g))
    await reach(join(dirname(file), `${imported}.d.ts`), reached);
}
