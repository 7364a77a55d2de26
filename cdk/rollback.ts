/**
 * `npm run rollback -- --env prod`: undoes the last deployment of the functions. Requests and scheduled runs then use
 * the versions before it; nothing else changes. `--before TIME` goes further back, and `--dry-run` changes nothing.
 * `--region R` rolls back in another Region of the environment.
 */
import { parseArgs } from "node:util";
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from "@aws-sdk/client-cloudformation";
import {
  CreateAliasCommand,
  LambdaClient,
  paginateListAliases,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from "@aws-sdk/client-lambda";
import { UsageError } from "../src/local/usage-error.ts";
import { runCommand } from "./command.ts";
import { LIVE_ALIAS } from "./function.ts";
import {
  type FunctionVersions,
  markOf,
  type RollBack,
  rollBackOf,
  targetOf,
  whyNoneMoved,
} from "./rollback-target.ts";

const LATEST = "$LATEST";

process.exitCode = await runCommand(async ({ region, stack, profile, rest }) => {
  const { before, dryRun } = readOptions(rest);
  const config = { region, ...(profile && { profile }) };
  const cloudFormation = new CloudFormationClient(config);
  const lambda = new LambdaClient(config);

  const beforeMs = before ?? (await lastDeploymentMs(cloudFormation, stack));
  let moved = 0;
  // All are read before one is moved, because a canary ends the command.
  const all = new Map<string, FunctionVersions>();
  for (const name of await functionsOf(cloudFormation, stack))
    all.set(name, await versionsOf(lambda, name));
  for (const [name, versions] of all) {
    const target = targetOf(versions, beforeMs);
    if (target === undefined) continue;
    moved++;
    const skipped =
      target.skipped.length === 0
        ? ""
        : ` (skips ${target.skipped.join(", ")}: rolled back before)`;
    console.log(`${name}: ${versions.live} → ${target.version}${skipped}`);
    if (!dryRun) await goBack(lambda, name, versions, target.version);
  }
  console.log(
    moved === 0
      ? whyNoneMoved([...all.values()], beforeMs, before !== undefined)
      : `${moved} functions ${dryRun ? "would go" : "went"} back to what was deployed before ${new Date(beforeMs).toISOString()}.`,
  );
  return moved === 0 ? 1 : 0;
});

/** Records the rollback before it moves the alias, so that a repeat after a crash between the two does the same. */
async function goBack(client: LambdaClient, name: string, at: FunctionVersions, to: string) {
  const mark = markOf({ from: at.live, to });
  if (!at.rollBacks.some((rollBack) => markOf(rollBack) === mark))
    await client.send(
      new CreateAliasCommand({ FunctionName: name, Name: mark, FunctionVersion: at.live }),
    );
  await client.send(
    new UpdateAliasCommand({
      FunctionName: name,
      Name: LIVE_ALIAS,
      FunctionVersion: to,
      // Fails if a deployment, or another command, has moved the alias since.
      RevisionId: at.revision,
    }),
  );
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      before: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      profile: { type: "string" },
      context: { type: "string", short: "c", multiple: true },
    },
  });
  const before = values.before === undefined ? undefined : Date.parse(values.before);
  if (Number.isNaN(before))
    throw new UsageError(
      `--before is "${values.before}"; it must be a time, such as 2026-01-31T12:00:00Z.`,
    );
  return { before, dryRun: values["dry-run"] };
}

/** Returns the start of the last deployment that CloudFormation tried, in milliseconds. */
async function lastDeploymentMs(client: CloudFormationClient, stack: string): Promise<number> {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const { LastUpdatedTime, CreationTime } = Stacks?.[0] ?? {};
  const time = LastUpdatedTime ?? CreationTime;
  if (!time) throw new UsageError(`There is no stack ${stack}.`);
  return time.getTime();
}

/** Returns the names of a stack's functions that have the alias. */
async function functionsOf(client: CloudFormationClient, stack: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { StackResourceSummaries } of paginateListStackResources(
    { client },
    { StackName: stack },
  ))
    for (const { ResourceType, PhysicalResourceId } of StackResourceSummaries ?? []) {
      if (ResourceType !== "AWS::Lambda::Alias") continue;
      // arn:aws:lambda:region:account:function:name:alias
      const name = PhysicalResourceId?.split(":")[6];
      if (name) names.push(name);
    }
  return names.sort();
}

async function versionsOf(client: LambdaClient, name: string): Promise<FunctionVersions> {
  const versions: { version: string; modifiedMs: number }[] = [];
  for await (const { Versions } of paginateListVersionsByFunction(
    { client },
    { FunctionName: name },
  ))
    for (const { Version, LastModified } of Versions ?? [])
      if (Version !== undefined && Version !== LATEST && LastModified !== undefined)
        versions.push({ version: Version, modifiedMs: Date.parse(LastModified) });
  const rollBacks: RollBack[] = [];
  let live = "";
  let revision = "";
  for await (const { Aliases } of paginateListAliases({ client }, { FunctionName: name }))
    for (const { Name = "", FunctionVersion, RevisionId, RoutingConfig } of Aliases ?? []) {
      const rollBack = rollBackOf(Name);
      if (rollBack) rollBacks.push(rollBack);
      if (Name !== LIVE_ALIAS) continue;
      assertNoCanary(name, Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {}));
      live = String(FunctionVersion);
      revision = String(RevisionId);
    }
  return { live, revision, versions, rollBacks };
}

/** @throws {UsageError} if CodeDeploy is moving requests to a new version: it would move the alias again */
function assertNoCanary(name: string, versions: readonly string[]): void {
  if (versions.length === 0) return;
  throw new UsageError(
    `A canary is moving requests of ${name} to version ${versions.join()}. Nothing was changed. Stop its deployment, and CodeDeploy moves the alias back: aws deploy list-deployments --include-only-statuses InProgress, then aws deploy stop-deployment --auto-rollback-enabled --deployment-id ID.`,
  );
}
