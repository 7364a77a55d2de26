import { describe, expect, it } from "vitest";
import { type Ended, runCdk, withAws } from "./command.ts";

const DEV = ["--env", "dev"];
const NAMED = ["-c", 'plat:dev={"account": "123456789012", "region": "eu-central-1"}'];

const refused = (sentence: string): Ended => ({ status: 2, stdout: "", stderr: `${sentence}\n` });

describe("npm run deploy", () => {
  it("deploys nothing to an unknown environment, and says which ones there are", async () => {
    expect(await runCdk("deploy", ["--env", "staging"])).toEqual(
      refused("Say which environment: --env dev or --env prod."),
    );
  });

  it("deploys nothing where no account is named, and says where to name it", async () => {
    expect(await runCdk("deploy", DEV)).toEqual(
      refused(
        'No account and Region are named for dev: put "plat:dev": {"account": "123456789012", "region": "eu-central-1"} with yours into cdk.context.json.',
      ),
    );
  });

  it("deploys nothing with the credentials of another account, and names both", async () => {
    const ended = await withAws("999999999999", (aws) => runCdk("deploy", [...DEV, ...NAMED], aws));
    expect(ended).toEqual(
      refused(
        "The credentials are of account 999999999999, and dev belongs to 123456789012. Nothing was changed.",
      ),
    );
  });

  it("deploys nothing where nobody says whose the credentials are", async () => {
    const { status, stdout, stderr } = await runCdk("deploy", [...DEV, ...NAMED]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^Whose credentials these are cannot be found out: /);
  });

  it("hands all other arguments to the CDK where the credentials are of the account", async () => {
    const { status, stdout } = await withAws(
      "123456789012",
      (aws) => runCdk("deploy", [...DEV, ...NAMED, "--help"], aws),
      () => stackWith("plat-dev-stateful-Table-1"),
    );
    expect(status).toBe(0);
    expect(stdout).toContain("cdk deploy [STACKS..]");
  });

  const REGIONS = [
    "-c",
    'plat:dev={"account": "123456789012", "region": "eu-central-1", "regions": {"replicas": ["eu-west-1"], "witness": "eu-west-3", "active": "eu-west-1"}}',
  ];

  it("deploys nothing to a Region in which the environment serves no requests", async () => {
    expect(await runCdk("deploy", [...DEV, ...REGIONS, "--region", "eu-west-3"])).toEqual(
      refused('--region is "eu-west-3"; dev serves in eu-central-1, eu-west-1.'),
    );
  });

  it("takes the Region from the arguments of the CDK, and asks there whose the credentials are", async () => {
    const { status, stdout } = await withAws("123456789012", (aws) =>
      runCdk("deploy", [...DEV, ...REGIONS, "--region=eu-west-1", "--help"], aws),
    );
    expect(status).toBe(0);
    expect(stdout).toContain("cdk deploy [STACKS..]");
  });

  describe.each([
    ["adds further Regions to", REGIONS, "plat-dev-stateful-Table-1", "With"],
    ["leaves out the Regions of", NAMED, "plat-dev", "Without"],
  ])("that %s a table", (_, context, table, word) => {
    it("deploys nothing, because the table would be replaced by an empty one", async () => {
      const ended = await withAws(
        "123456789012",
        (aws) => runCdk("deploy", [...DEV, ...context], aws),
        () => stackWith(table),
      );
      expect(ended).toEqual(
        refused(
          `dev has the table ${table}, and a table keeps its Regions. ${word} the setting regions, the deployment would create an empty table, which would assign addresses that are in use. Nothing was changed.`,
        ),
      );
    });
  });

  it("deploys where the table stays", async () => {
    const { status } = await withAws(
      "123456789012",
      (aws) => runCdk("deploy", [...DEV, ...REGIONS, "--help"], aws),
      () => stackWith("plat-dev"),
    );
    expect(status).toBe(0);
  });
});

const stackWith = (table: string) =>
  `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs><member><OutputKey>TableName</OutputKey><OutputValue>${table}</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
