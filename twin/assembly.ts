import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
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
        ...(await contextOf("cdk.json")).context,
        ...(await contextOf("cdk.context.json")),
        "aws:cdk:bundling-stacks": [`${stageName(environment)}/*`],
      }),
    },
  });
}

/** What the command line of the CDK would hand on from a file; nothing where that is not there. */
async function contextOf(file: string) {
  const text = await readFile(new URL(`../${file}`, import.meta.url), "utf8").catch(() => "{}");
  return JSON.parse(text);
}
