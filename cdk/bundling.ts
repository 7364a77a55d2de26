import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, buildSync } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files that replace packages, in bundles only. */
export const REPLACED: Readonly<Record<string, string>> = {
  "@aws-sdk/credential-provider-node": pathOf("./credentials.ts"),
  "@aws-sdk/endpoint-cache": pathOf("./endpoint-cache.ts"),
  "@smithy/core/event-streams": pathOf("./event-streams.ts"),
  // `yaml` has CommonJS files for Node.js, which call `require`, and an ES module has no `require`. Its ES modules also
  // load faster than those files with a `require` made for them.
  yaml: pathOf("../node_modules/yaml/browser/index.js"),
};

/**
 * A function is one file that includes the SDK. So the tested code is the deployed code, and one file loads faster than
 * the many files of the runtime.
 */
const BUNDLING: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  // Uses the ES modules of packages without `exports`, because bundles of them leave out unused code.
  mainFields: ["module", "main"],
  minify: true,
  // The map is beside the bundle, for `npm run trace`. Nothing in the bundle names the map. Node.js would load and use
  // it only with `--enable-source-maps`, which makes each cold start longer by a third.
  sourcemap: "external",
  sourcesContent: false,
  alias: REPLACED,
  define: { PLAT_COMMIT: sourceCommit() },
  logLevel: "warning",
};

/** Returns the commit of the sources as a value for a bundle: with `-dirty` for changed ones, and `undefined` without a repository. */
export function sourceCommit(): string {
  try {
    const args = ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"];
    const stdio = ["ignore", "pipe", "ignore"] as const;
    const text = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: [...stdio] });
    return JSON.stringify(text.trim());
  } catch {
    return "undefined";
  }
}

/**
 * Bundles a function, as a deployment has it: `index.mjs`, and its map, which names the sources from the root.
 *
 * @param name the name of its file in `functions/`
 * @returns the files by their names. They are the same wherever they are written
 * @throws if the sources cannot be bundled
 */
export function bundleOf(name: string): ReadonlyMap<string, Uint8Array> {
  const { outputFiles } = buildSync({
    ...BUNDLING,
    absWorkingDir: ROOT,
    entryPoints: [`functions/${name}.ts`],
    outfile: "index.mjs",
    write: false,
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
