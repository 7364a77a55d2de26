import { fileURLToPath } from "node:url";
import {
  type BundlingOptions,
  LogLevel,
  OutputFormat,
  SourceMapMode,
} from "aws-cdk-lib/aws-lambda-nodejs";

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
export const BUNDLING: BundlingOptions = {
  bundleAwsSDK: true,
  format: OutputFormat.ESM,
  // Uses the ES modules of packages without `exports`, because bundles of them leave out unused code.
  mainFields: ["module", "main"],
  minify: true,
  // The map is beside the bundle, for `npm run trace`. Nothing in the bundle names the map. Node.js would load and use
  // it only with `--enable-source-maps`, which makes each cold start longer by a third.
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
