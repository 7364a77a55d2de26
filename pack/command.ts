import type { BuildOptions } from "esbuild";
import { sourceCommit } from "../cdk/bundling.ts";

/** How the command is built: one file with everything but the packages with a binary for each platform. */
export const COMMAND_BUILD = {
  entryPoints: ["src/cli/main.ts"],
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  minify: true,
  legalComments: "eof",
  logLevel: "warning",
  define: { PLAT_COMMIT: sourceCommit() },
  external: ["lmdb", "../../twin/*"],
  banner: {
    js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);',
  },
} satisfies BuildOptions;
