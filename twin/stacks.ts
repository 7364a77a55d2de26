import { join } from "node:path";
import { AssetManifestArtifact, CloudAssembly } from "aws-cdk-lib/cx-api";
import { type EnvironmentName, stageName } from "../cdk/environments.ts";
import { TABLE_STREAM } from "../cdk/table-stream.ts";
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

/**
 * Returns the stacks that one Region of an environment sees: its own, the tables of which it has a replica, and the
 * parameters of other Regions with their first values. The deployment names the stream of its replica, as
 * `npm run deploy` does.
 */
export function stacksIn(
  region: string,
  stacks: readonly Stack[],
  environment: EnvironmentName,
): readonly Stack[] {
  const only = (type: string, stack: Stack): Stack => ({
    ...stack,
    resources: Object.fromEntries(
      Object.entries(stack.resources).filter(([, { Type }]) => Type === type),
    ),
    outputs: {},
  });
  return stacks
    .flatMap((stack) =>
      stack.region === region
        ? [stack]
        : [{ ...only(GLOBAL_TABLE, stack), region }, only(PARAMETER, stack)],
    )
    .filter(({ resources }) => Object.keys(resources).length > 0)
    .map((stack) => ({
      ...stack,
      parameters: {
        [TABLE_STREAM]: `arn:aws:dynamodb:${region}:${stack.account}:table/${stageName(environment)}/stream/1970-01-01T00:00:00.000`,
      },
    }));
}

const GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable";
const PARAMETER = "AWS::SSM::Parameter";

const known = (name: string) => (name.startsWith("unknown-") ? undefined : name);
