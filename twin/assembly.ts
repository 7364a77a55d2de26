import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { contextKey, readDeployment } from "../cdk/deployment.ts";
import { ENVIRONMENT_NAMES, type EnvironmentName, stageName } from "../cdk/environments.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/**
 * Returns the files with the context of the CDK. The tests set the variable, because they sign for the Region of
 * templates without a Region. The deployment settings of this folder must not change that.
 */
export const contextFiles = (): readonly string[] =>
  process.env.PLAT_TWIN_ANYWHERE ? ["cdk.json"] : ["cdk.json", "cdk.context.json"];

/** Settings of an environment, as in `cdk.context.json`. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * Synthesises the templates and the bundles of an environment, as `cdk synth` does.
 *
 * @param directory the output directory
 * @param settings settings in place of those of the context
 * @param bundles a folder with bundles of the same sources, for those that are there and those that are made
 */
export async function synthesise(
  directory: string,
  environment: EnvironmentName,
  settings: Settings,
  bundles: string,
): Promise<void> {
  const context = await contextOf(ROOT, contextFiles());
  const key = contextKey(environment);
  const app = join(ROOT, "cdk/app.ts");
  await promisify(execFile)(process.execPath, ["--import", "tsx", app], {
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      // A deployment validates the templates. Here that would take most of the time until the twin listens.
      CDK_VALIDATION: "false",
      PLAT_BUNDLES: bundles,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        [key]: { ...(context[key] as Settings), ...settings },
        "aws:cdk:bundling-stacks": [`${stageName(environment)}/*`],
      }),
    },
  });
}

/**
 * Reads the context from those of the files that exist. It leaves out the name of an existing table, because that table
 * is in an account. So the templates have a table with its stream, and the twin creates it. It leaves out further
 * Regions, too, because the twin has one.
 *
 * @throws {UsageError} if a setting of an environment is wrong
 */
export async function contextOf(
  root: string,
  files: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const read = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, file), "utf8").catch(() => "{}");
      const content = JSON.parse(text);
      return file === "cdk.json" ? content.context : content;
    }),
  );
  const context = Object.assign({}, ...read);
  const told = ENVIRONMENT_NAMES.map((name) => {
    const {
      tableName: _,
      regions: __,
      ...deployment
    } = readDeployment(name, context[contextKey(name)]);
    return [contextKey(name), deployment];
  });
  return { ...context, ...Object.fromEntries(told) };
}
