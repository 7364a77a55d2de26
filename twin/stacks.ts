import { join } from "node:path";
import { AssetManifestArtifact, CloudAssembly } from "aws-cdk-lib/cx-api";
import { type EnvironmentName, stageName } from "../cdk/environments.ts";
import type { Stack } from "./names.ts";

/** The place of a template without account and Region: AWS uses this account in examples. */
const ANYWHERE = { account: "123456789012", region: "eu-central-1" };

/** The synthesized templates and bundles of an environment. */
export interface Synthesised {
  /** In the order in which they are deployed. */
  readonly stacks: readonly Stack[];
  /** The directories of the bundles, by the hash in the templates. */
  readonly assets: ReadonlyMap<string, string>;
}

/** Reads the templates of an environment, and the directories of their bundles. */
export function readStacks(directory: string, environment: EnvironmentName): Synthesised {
  const assembly = new CloudAssembly(directory).getNestedAssembly(
    `assembly-${stageName(environment)}`,
  );
  const files = assembly.artifacts
    .filter((artifact) => artifact instanceof AssetManifestArtifact)
    .flatMap(({ contents }) => Object.entries(contents.files ?? {}));
  return {
    stacks: assembly.stacks.map(({ stackName, environment, template }) => ({
      name: stackName,
      account: known(environment.account) ?? ANYWHERE.account,
      region: known(environment.region) ?? ANYWHERE.region,
      resources: template.Resources ?? {},
      outputs: template.Outputs ?? {},
    })),
    assets: new Map(
      files.map(([hash, { source }]) => [hash, join(assembly.directory, source.path ?? "")]),
    ),
  };
}

const known = (name: string) => (name.startsWith("unknown-") ? undefined : name);
