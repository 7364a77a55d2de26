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
import {
  type FunctionVersion,
  type FunctionVersions,
  LIVE_ALIAS,
  markOf,
  type RollBack,
  type RollbackTarget,
  rollBackOf,
  tablesApart,
  targetOf,
  whyNoneMoved,
} from "./target.ts";

const LATEST = "$LATEST";

/** The stack whose functions go back, and how far. */
export interface Rollback {
  /** The name of the stack with the functions. */
  readonly stack: string;
  /** The Region of the stack; that of the AWS command line unless named. */
  readonly region?: string | undefined;
  /** The profile of the AWS command line with the credentials. */
  readonly profile?: string | undefined;
  /** A time, such as `2026-01-31T12:00:00Z`; the start of the last deployment unless named. */
  readonly before?: string | undefined;
  /** True if nothing changes. */
  readonly dryRun?: boolean | undefined;
}

/** A rollback that was refused; the message is a sentence, and nothing was changed. */
export class RollbackError extends Error {
  override readonly name = "RollbackError";
}

/**
 * Undoes the last deployment of the functions of a stack. Requests and scheduled runs then use the versions before it;
 * nothing else changes.
 *
 * @param say gets a line for each function that went back, and one about all
 * @returns the number of functions that went back, or that would
 * @throws {RollbackError} if there is no such stack or time, if a canary moves requests, or if an earlier version uses another table
 * @throws {Error} of the SDK if AWS is out of reach, or rejects a call
 */
export async function rollBack(
  { stack, region, profile, before, dryRun }: Rollback,
  say: (line: string) => void,
): Promise<number> {
  const namedMs = before === undefined ? undefined : Date.parse(before);
  if (Number.isNaN(namedMs))
    throw new RollbackError(
      `--before is "${before}"; it must be a time, such as 2026-01-31T12:00:00Z.`,
    );
  const config = { ...(region !== undefined && { region }), ...(profile && { profile }) };
  const cloudFormation = new CloudFormationClient(config);
  const lambda = new LambdaClient(config);
  const beforeMs = namedMs ?? (await lastDeploymentMs(cloudFormation, stack));
  // All are read before one is moved, because a canary or another table ends the command.
  const all: FunctionVersions[] = [];
  const moves: Move[] = [];
  for (const name of await functionsOf(cloudFormation, stack)) {
    const versions = await versionsOf(lambda, name);
    all.push(versions);
    const target = targetOf(versions, beforeMs);
    if (target === undefined) continue;
    assertSameTable(name, versions, target);
    moves.push({ name, versions, target });
  }
  for (const { name, versions, target } of moves) {
    const skipped =
      target.skipped.length === 0
        ? ""
        : ` (skips ${target.skipped.join(", ")}: rolled back before)`;
    say(`${name}: ${versions.live} → ${target.version}${skipped}`);
    if (!dryRun) await goBack(lambda, name, versions, target.version);
  }
  const moved = moves.length;
  say(
    moved === 0
      ? whyNoneMoved(all, beforeMs, before !== undefined)
      : `${moved} ${moved === 1 ? "function" : "functions"} ${dryRun ? "would go" : "went"} back to what was deployed before ${new Date(beforeMs).toISOString()}.`,
  );
  return moved;
}

interface Move {
  readonly name: string;
  readonly versions: FunctionVersions;
  readonly target: RollbackTarget;
}

/** @throws {RollbackError} if a version uses another table: a rollback changes no right, and requests would find the table of before */
function assertSameTable(name: string, versions: FunctionVersions, { version }: RollbackTarget) {
  const tables = tablesApart(versions, version);
  if (!tables) return;
  throw new RollbackError(
    `Version ${version} of ${name} uses table ${tables.target}, and version ${versions.live} uses ${tables.live}. Nothing was changed. To undo the code alone, revert it and deploy. To go back to a version that uses ${tables.live}, name a time after the deployment of that table: --before 2026-01-31T12:00:00Z.`,
  );
}

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

/** Returns the start of the last deployment that CloudFormation tried, in milliseconds. */
async function lastDeploymentMs(client: CloudFormationClient, stack: string): Promise<number> {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const { LastUpdatedTime, CreationTime } = Stacks?.[0] ?? {};
  const time = LastUpdatedTime ?? CreationTime;
  if (!time) throw new RollbackError(`There is no stack ${stack}.`);
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
  const versions: FunctionVersion[] = [];
  for await (const { Versions } of paginateListVersionsByFunction(
    { client },
    { FunctionName: name },
  ))
    for (const { Version, LastModified, Environment } of Versions ?? [])
      if (Version !== undefined && Version !== LATEST && LastModified !== undefined)
        versions.push({
          version: Version,
          modifiedMs: Date.parse(LastModified),
          table: Environment?.Variables?.TABLE_NAME,
        });
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

/** @throws {RollbackError} if CodeDeploy is moving requests to a new version: it would move the alias again */
function assertNoCanary(name: string, versions: readonly string[]): void {
  if (versions.length === 0) return;
  throw new RollbackError(
    `A canary is moving requests of ${name} to version ${versions.join()}. Nothing was changed. Stop its deployment, and CodeDeploy moves the alias back: aws deploy list-deployments --include-only-statuses InProgress, then aws deploy stop-deployment --auto-rollback-enabled --deployment-id ID.`,
  );
}
