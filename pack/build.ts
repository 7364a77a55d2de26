import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { COMMAND_BUILD } from "./command.ts";

/**
 * `npm run build`: makes `dist` as `npm pack` takes it. The command and each library are one file with everything
 * that they use, because a package that is installed for its client should bring no others. The libraries are there as
 * ES modules and as CommonJS.
 */

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// The console stays: it is built with the installation.
for (const made of ["dist/types", "dist/cjs"]) await rm(made, { recursive: true, force: true });
await Promise.all([
  command(),
  plugin(),
  library("client", "esm", "dist/client.js"),
  library("client", "cjs", "dist/cjs/client.js"),
  library("constructs", "esm", "dist/cdk.js"),
  library("constructs", "cjs", "dist/cdk.cjs"),
  resourceHandler(),
  types(),
]);

async function command(): Promise<void> {
  await build({ ...COMMAND_BUILD, outfile: "dist/plat.js" });
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

/** A library is a folder of the sources. The constructs are those of the CDK that a program has already. */
async function library(
  folder: "client" | "constructs",
  format: "esm" | "cjs",
  outfile: string,
): Promise<void> {
  await build({
    entryPoints: [`src/${folder}/index.ts`],
    bundle: true,
    platform: "node",
    target: "node20.19",
    format,
    outfile,
    minify: true,
    legalComments: "eof",
    logLevel: "warning",
    external: ["aws-cdk-lib", "constructs"],
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

/** Writes the types of the libraries, once for each module format. */
async function types(): Promise<void> {
  await promisify(execFile)("npx", ["tsc", "-p", "tsconfig.package.json"]);
  const files = await readdir("dist/types", { recursive: true, withFileTypes: true });
  for (const found of files.filter((one) => one.isFile())) {
    const file = join(found.parentPath, found.name);
    const text = await readFile(file, "utf8");
    // Declarations name the files as the sources do, with `.ts`, and a package has them as `.js`.
    await writeFile(file, text.replace(/(from "\.[^"]+)\.ts"/g, '$1.js"'));
  }
  await mkdir("dist/cjs", { recursive: true });
  await cp("dist/types", "dist/cjs/types", { recursive: true });
  await writeFile("dist/cjs/package.json", '{ "type": "commonjs" }\n');
}
