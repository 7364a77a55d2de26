import { beforeEach, describe, expect, it } from "vitest";
import { runCdk, runWithAws, withAws } from "./command.ts";
import { stages } from "./templates.ts";

const ACCOUNT = "123456789012";
const ARGS = ["--env", "dev", "-c", `plat:dev={"account": "${ACCOUNT}", "region": "eu-central-1"}`];
const STACK = stages.dev.stateless.stackName;
const DEPLOYED = "2026-03-01T12:00:00.000Z";

/** Two functions: the times of their versions, and their aliases. The last deployment changed one of them. */
let deployed = "";
let versions: Record<string, string[]> = {};
let aliases: Record<string, Record<string, string>> = {};
let moves: unknown[] = [];
/** The table that each version of every function uses. */
let tables: readonly string[] = [];
/** The versions to which a canary moves some requests. */
let canaries: Record<string, Record<string, number>> = {};
beforeEach(() => {
  canaries = {};
  tables = ["plat-prod", "plat-prod"];
  deployed = DEPLOYED;
  versions = {
    "plat-assign": ["2026-01-01T00:00:00.000+0000", "2026-03-01T12:01:00.000+0000"],
    "plat-read": ["2026-01-01T00:00:00.000+0000", "2026-02-01T00:00:00.000+0000"],
  };
  aliases = { "plat-assign": { live: "2" }, "plat-read": { live: "2" } };
  moves = [];
});

describe("npm run rollback", () => {
  it("moves the aliases of what the last deployment changed to the versions before it", async () => {
    expect(await rollback()).toEqual({
      status: 0,
      stdout: `plat-assign: 2 → 1\n1 function went back to what was deployed before ${DEPLOYED}.\n`,
      stderr: "",
    });
    expect(moves).toEqual([
      ["plat-assign", { FunctionVersion: "1", RevisionId: "revision-of-live-of-plat-assign" }],
    ]);
  });

  it("goes further back where a time is named", async () => {
    const { stdout } = await rollback("--before", "2026-01-15T00:00:00Z");
    expect(stdout).toMatch(/^plat-assign: 2 → 1\nplat-read: 2 → 1\n2 functions went back/);
    expect(moves).toHaveLength(2);
  });

  it("goes back to what was live before a second bad deployment, and not to the first bad one", async () => {
    await rollback();
    deployed = "2026-04-01T12:00:00.000Z";
    versions["plat-assign"]?.push("2026-04-01T12:01:00.000+0000");
    aliases["plat-assign"] = { ...aliases["plat-assign"], live: "3" };
    expect((await rollback()).stdout).toBe(
      `plat-assign: 3 → 1 (skips 2: rolled back before)\n1 function went back to what was deployed before ${deployed}.\n`,
    );
    expect(aliases["plat-assign"]?.live).toBe("1");
  });

  it("is carried out again where it was cut off before it moved an alias", async () => {
    aliases["plat-assign"] = { live: "2", "back-from-2-to-1": "2" };
    expect((await rollback()).status).toBe(0);
    expect(aliases["plat-assign"]?.live).toBe("1");
  });

  it("says so where the last deployment changed no function, and how to go further back", async () => {
    deployed = "2026-04-01T12:00:00.000Z";
    const { status, stdout } = await rollback();
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: `The last deployment, of ${deployed}, changed no function. To go further back, name a time: --before 2026-01-31T12:00:00Z.\n`,
    });
  });

  it("moves nothing in a dry run, and tells what it would", async () => {
    const { status, stdout } = await rollback("--dry-run");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `plat-assign: 2 → 1\n1 function would go back to what was deployed before ${DEPLOYED}.\n`,
    });
    expect(moves).toEqual([]);
    expect(aliases["plat-assign"]).toEqual({ live: "2" });
  });

  it("says so where there is nothing to go back to", async () => {
    const { status, stdout } = await rollback("--before", "2025-01-01T00:00:00Z");
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: "No function has a version from before 2025-01-01T00:00:00.000Z to go back to.\n",
    });
  });

  it("moves nothing while a canary moves requests, and says how to stop it", async () => {
    canaries = { "plat-read": { 3: 0.1 } };
    const { status, stdout, stderr } = await rollback();
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(
      /^A canary is moving requests of plat-read to version 3\. Nothing was changed\. Stop its deployment/,
    );
    expect(moves).toEqual([]);
  });

  it("moves nothing back to another table, and says what to do", async () => {
    tables = ["plat-prod", "plat-restored"];
    const { status, stdout, stderr } = await rollback();
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(
      /^Version 1 of plat-assign uses table plat-prod, and version 2 uses plat-restored\. Nothing was changed\. .*--before 2026-01-31T12:00:00Z\.\n$/,
    );
    expect(moves).toEqual([]);
  });

  it("acts on the stack of the Region that is named", async () => {
    const regions = { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-west-1" };
    const context = { account: ACCOUNT, region: "eu-central-1", regions };
    const asked: string[] = [];
    const ended = await withAws(
      ACCOUNT,
      (aws) =>
        runCdk(
          "rollback",
          ["--env", "dev", "--region", "eu-west-1", "-c", `plat:dev=${JSON.stringify(context)}`],
          aws,
        ),
      (_method, _path, body) => {
        asked.push(String(new URLSearchParams(body).get("StackName")));
        return undefined;
      },
    );
    expect(ended.status).toBe(1);
    expect(new Set(asked)).toEqual(new Set([`${STACK}-eu-west-1`]));
  });

  it("touches nothing with the credentials of another account", async () => {
    const { status, stderr } = await withAws("999999999999", (aws) =>
      runCdk("rollback", ARGS, aws),
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^The credentials are of account 999999999999/);
  });

  it("rejects a time that is none", async () => {
    const { status, stderr } = await rollback("--before", "yesterday");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: '--before is "yesterday"; it must be a time, such as 2026-01-31T12:00:00Z.\n',
    });
  });
});

describe("plat rollback", () => {
  const plat = (...args: readonly string[]) =>
    withAws(
      ACCOUNT,
      (aws) =>
        runWithAws("src/cli/main.ts", ["rollback", "--region", "eu-central-1", ...args], aws),
      answer,
    );

  it("moves the aliases of any stack that is named", async () => {
    expect(await plat("--stack", STACK, "--dry-run")).toEqual({
      status: 0,
      stdout: `plat-assign: 2 → 1\n1 function would go back to what was deployed before ${DEPLOYED}.\n`,
      stderr: "Note: this is a dry run; nothing was written.\n",
    });
    expect(moves).toEqual([]);
    expect((await plat("--stack", STACK)).status).toBe(0);
    expect(aliases["plat-assign"]?.live).toBe("1");
    expect(await plat("--stack", STACK)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("No function was rolled back."),
    });
  });

  it("says what AWS says of a stack that is not there, and which time is none", async () => {
    const { status, stderr } = await plat("--stack", "nope");
    expect(status).toBe(3);
    expect(stderr).toMatch(/^Error: AWS did not roll nope back: /);
    expect(await plat("--stack", STACK, "--before", "yesterday")).toEqual({
      status: 2,
      stdout: "",
      stderr: 'Error: --before is "yesterday"; it must be a time, such as 2026-01-31T12:00:00Z.\n',
    });
  });
});

const rollback = (...args: readonly string[]) =>
  withAws(ACCOUNT, (aws) => runCdk("rollback", [...ARGS, ...args], aws), answer);

/** Answers as CloudFormation and Lambda do for the stack. */
function answer(method: string, path: string, body: string): string | undefined {
  const form = new URLSearchParams(body);
  if (form.get("StackName") === STACK) return stackAnswer(form.get("Action"));
  const [, name = "", rest] = /^\/2015-03-31\/functions\/([\w-]+)\/(.*?)\??$/.exec(path) ?? [];
  const times = versions[name];
  const named = aliases[name];
  if (!times || !named) return undefined;
  if (method === "GET" && rest === "versions") {
    const published = times.map((LastModified, i) => ({
      Version: String(i + 1),
      LastModified,
      Environment: { Variables: { TABLE_NAME: tables[i] } },
    }));
    const latest = { Version: "$LATEST", LastModified: times.at(-1) };
    return JSON.stringify({ Versions: [latest, ...published] });
  }
  if (method === "GET" && rest === "aliases")
    return JSON.stringify({
      Aliases: Object.entries(named).map(([Name, FunctionVersion]) => ({
        Name,
        FunctionVersion,
        RevisionId: `revision-of-${Name}-of-${name}`,
        ...(Name === "live" && { RoutingConfig: { AdditionalVersionWeights: canaries[name] } }),
      })),
    });
  const asked = JSON.parse(body);
  if (method === "POST" && rest === "aliases" && named[asked.Name] === undefined) {
    named[asked.Name] = asked.FunctionVersion;
    return "{}";
  }
  if (method !== "PUT" || rest !== "aliases/live") return undefined;
  moves.push([name, asked]);
  named.live = asked.FunctionVersion;
  return "{}";
}

function stackAnswer(action: string | null): string | undefined {
  if (action === "DescribeStacks")
    return `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><CreationTime>2026-01-01T00:00:00Z</CreationTime><LastUpdatedTime>${deployed}</LastUpdatedTime></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
  if (action !== "ListStackResources") return undefined;
  const alias = (name: string) =>
    `<member><ResourceType>AWS::Lambda::Alias</ResourceType><PhysicalResourceId>arn:aws:lambda:eu-central-1:${ACCOUNT}:function:${name}:live</PhysicalResourceId></member>`;
  const members = Object.keys(versions).map(alias).join("");
  return `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${members}<member><ResourceType>AWS::SQS::Queue</ResourceType><PhysicalResourceId>queue</PhysicalResourceId></member></StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`;
}
