import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type EnvironmentName, stageName } from "../cdk/environments.ts";

/**
 * Synthesises the templates and the bundles of an environment, as `cdk synth` does.
 *
 * @param directory where they are written to
 */
export async function synthesise(directory: string, environment: EnvironmentName): Promise<void> {
  const app = fileURLToPath(new URL("../cdk/app.ts", import.meta.url));
  await promisify(execFile)(process.execPath, ["--import", "tsx", app], {
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({
        "aws:cdk:bundling-stacks": [`${stageName(environment)}/*`],
      }),
    },
  });
}
