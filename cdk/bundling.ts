import { fileURLToPath } from "node:url";
import {
  type BundlingOptions,
  LogLevel,
  OutputFormat,
  SourceMapMode,
} from "aws-cdk-lib/aws-lambda-nodejs";

/** In bundles only: files that take the place of packages. */
export const REPLACED: Readonly<Record<string, string>> = {
  "@aws-sdk/credential-provider-node": pathOf("./credentials.ts"),
  // A package's CommonJS files would call `require`, which an ES module does not have, and those are what `yaml` has for
  // Node. Its ES modules are also less to load than those files with a `require` made for them.
  yaml: pathOf("../node_modules/yaml/browser/index.js"),
};

/** A function is one file. The SDK is in it: what was tested is what runs, and one file loads faster than the runtime's many. */
export const BUNDLING: BundlingOptions = {
  bundleAwsSDK: true,
  format: OutputFormat.ESM,
  // ES modules, where a package has them but no `exports`; they leave out what nobody uses.
  mainFields: ["module", "main"],
  minify: true,
  // Beside the bundle, for `npm run trace`. Nothing in the bundle names it: Node.js would load and use it only where it is told
  // to (`--enable-source-maps`), and then each cold start by a third longer.
  sourceMap: true,
  sourceMapMode: SourceMapMode.EXTERNAL,
  sourcesContent: false,
  esbuildArgs: Object.fromEntries(
    Object.entries(REPLACED).map(([name, file]) => [`--alias:${name}`, file]),
  ),
  logLevel: LogLevel.WARNING,
};

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
