import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { UsageError } from "../src/local/usage-error.ts";
import type { DeployedFunctionName } from "./access.ts";
import { bundleOf } from "./bundling.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CONSOLE = `${ROOT}dist/console`;
/** The folder with bundles of the same sources, for processes that synthesize one after another. */
const SHARED = "PLAT_BUNDLES";

/** The bundles that this process made, by the names of their functions. */
const made = new Map<DeployedFunctionName, ReadonlyMap<string, Uint8Array>>();

/**
 * Returns the code of a function in a clone: its bundle, which the CDK asks for when it synthesizes the stack. The
 * function of the console has the built console beside it. In the package, `pack/packed-code.ts` stands in its place.
 */
export function codeOf(name: DeployedFunctionName): Code {
  return Code.fromAsset(`${ROOT}functions`, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Only the command tells the assets of one folder apart. Nothing runs it, because the bundle is made here.
      command: [name],
      image: DockerImage.fromRegistry("none"),
      local: {
        tryBundle(directory: string) {
          writeBundle(name, directory);
          if (name === "console") addConsole(directory);
          return true;
        },
      },
    },
  });
}

/** Writes the bundle of a function into a folder. It is made once, for all processes that share bundles. */
function writeBundle(name: DeployedFunctionName, directory: string): void {
  const shared = process.env[SHARED];
  const kept = shared === undefined ? undefined : join(shared, name);
  if (kept !== undefined && existsSync(kept)) {
    cpSync(kept, directory, { recursive: true });
    return;
  }
  const files = made.get(name) ?? bundleOf(name);
  made.set(name, files);
  for (const [file, content] of files) writeFileSync(join(directory, file), content);
  if (kept === undefined) return;
  // Two processes may make the same bundle; the first that is done gives it its name.
  const making = `${kept}.${process.pid}`;
  cpSync(directory, making, { recursive: true });
  if (existsSync(kept)) rmSync(making, { recursive: true });
  else renameSync(making, kept);
}

function addConsole(directory: string): void {
  if (!existsSync(CONSOLE))
    throw new UsageError("The console is not built: run `npm run console`.");
  cpSync(CONSOLE, join(directory, "console"), { recursive: true });
}
