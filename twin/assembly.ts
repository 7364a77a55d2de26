import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { AssetManifestArtifact, CloudAssembly } from "aws-cdk-lib/cx-api";
import { type EnvironmentName, stageName } from "../cdk/environments.ts";

/** A Lambda function, as a synthesised template has it. */
export interface DeployedFunction {
  /** As the code calls it: `assign`. */
  readonly name: string;
  /** What Lambda unpacks for it: the folder with `index.mjs`. */
  readonly directory: string;
  /** Its environment; what the template only refers to, such as the name of the table, is not text. */
  readonly variables: Readonly<Record<string, unknown>>;
}

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

/** Reads the functions of an environment from what was synthesised. */
export function functionsOf(
  directory: string,
  environment: EnvironmentName,
): readonly DeployedFunction[] {
  const assembly = new CloudAssembly(directory).getNestedAssembly(
    `assembly-${stageName(environment)}`,
  );
  const folders = new Map(
    assembly.artifacts
      .filter((artifact) => artifact instanceof AssetManifestArtifact)
      .flatMap(({ contents }) => Object.entries(contents.files ?? {}))
      .map(([hash, { source }]) => [`${hash}.zip`, join(assembly.directory, source.path ?? "")]),
  );
  return assembly.stacks
    .flatMap(({ template }) => Object.entries(template.Resources as Resources))
    .filter(([, { Type }]) => Type === "AWS::Lambda::Function")
    .map(([id, { Properties }]) => {
      const folder = folders.get(Properties.Code.S3Key);
      if (folder === undefined) throw new Error(`the code of ${id} is not in ${directory}`);
      return {
        name: id.replace(/Function[0-9A-F]{8}$/, ""),
        directory: folder,
        variables: Properties.Environment.Variables,
      };
    });
}

type Resources = Readonly<
  Record<
    string,
    {
      readonly Type: string;
      readonly Properties: {
        readonly Code: { readonly S3Key: string };
        readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
      };
    }
  >
>;
