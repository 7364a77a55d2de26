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

/**
 * A function is one file that includes the SDK: the tested code is the deployed code, and one file loads faster than
 * the runtime's many.
 */
export const BUNDLING: BundlingOptions = {
  bundleAwsSDK: true,
  format: OutputFormat.ESM,
  // Uses ES modules of packages that have them but no `exports`; bundles of them leave out unused code.
  mainFields: ["module", "main"],
  minify: true,
  // Beside the bundle, for `npm run trace`. Nothing in the bundle names the map. Node.js would load and use it only
  // with `--enable-source-maps`, which makes each cold start longer by a third.
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
