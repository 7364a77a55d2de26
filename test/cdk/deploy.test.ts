import { afterEach, describe, expect, it, vi } from "vitest";
import { streamParameters } from "../../cdk/stream-of.ts";
import { type Ended, runCdk, withAws } from "./command.ts";

const DEV = ["--env", "dev"];
const NAMED = ["-c", 'plat:dev={"account": "123456789012", "region": "eu-central-1"}'];

const KEYS = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
const STREAM =
  "arn:aws:dynamodb:eu-west-1:123456789012:table/plat-dev/stream/2026-11-24T00:00:00.000";
const STREAMING = {
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  LatestStreamArn: STREAM,
};
const NOT_FOUND =
  '{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": ""}';

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
    const { status, stdout } = await withAws(
      "123456789012",
      (aws) => runCdk("deploy", [...DEV, ...REGIONS, "--region=eu-west-1", "--help"], aws),
      () => tableWith(STREAMING),
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
      (_method, _path, body) =>
        body.includes("Action=DescribeStacks") ? stackWith("plat-dev") : tableWith(STREAMING),
    );
    expect(status).toBe(0);
  });

  const RESTORED = [
    "-c",
    'plat:dev={"account": "123456789012", "region": "eu-central-1", "tableName": "plat-restored"}',
  ];
  const ACTIVE = [...REGIONS, "--region", "eu-west-1"];

  it.each([
    [
      "whose active Region has no replica yet",
      ACTIVE,
      NOT_FOUND,
      'There is no table plat-dev in eu-west-1 yet, so eu-west-1 would publish no events and no trail. Deploy with "active": "eu-central-1" first. Nothing was changed.',
    ],
    [
      "whose existing table is not there",
      RESTORED,
      NOT_FOUND,
      "There is no table plat-restored in eu-central-1: name an existing one as tableName. Nothing was changed.",
    ],
    [
      "whose existing table has no stream",
      RESTORED,
      tableWith({}),
      "The table plat-restored in eu-central-1 has no stream, so eu-central-1 would publish no events and no trail. Give it a stream of NEW_AND_OLD_IMAGES with aws dynamodb update-table. Nothing was changed.",
    ],
    [
      "whose existing table has a stream of keys",
      RESTORED,
      tableWith({
        StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
        LatestStreamArn: STREAM,
      }),
      "The table plat-restored in eu-central-1 has a stream of KEYS_ONLY, so eu-central-1 would publish no events and no trail. Give it a stream of NEW_AND_OLD_IMAGES with aws dynamodb update-table. Nothing was changed.",
    ],
  ])(
    "deploys no environment %s, because nothing would be published",
    async (_, args, answer, why) => {
      const ended = await withAws(
        "123456789012",
        (aws) => runCdk("deploy", [...DEV, ...args], aws),
        () => answer,
      );
      expect(ended).toEqual(refused(why));
    },
  );
});

describe("the stream that a deployment names", () => {
  const DEPLOYING = {
    environment: "dev",
    region: "eu-central-1",
    inOneRegion: false,
    home: "eu-central-1",
    active: "eu-central-1",
    tableName: undefined,
    profile: undefined,
  } as const;
  const FAILED_OVER = { ...DEPLOYING, active: "eu-west-1" };

  afterEach(() => void vi.unstubAllEnvs());

  /** Returns the parameters, and the tables that DynamoDB was asked for. */
  async function parametersOf(deploying: Parameters<typeof streamParameters>[0]) {
    const asked: string[] = [];
    const parameters = await withAws(
      "123456789012",
      (aws) => {
        for (const [name, value] of Object.entries({ ...KEYS, ...aws })) vi.stubEnv(name, value);
        return streamParameters(deploying);
      },
      (_method, _path, body) => {
        asked.push(JSON.parse(body).TableName);
        return tableWith(STREAMING);
      },
    );
    return { parameters, asked };
  }

  it("is that of the active Region, if this is not the first, and goes to the stack there", async () => {
    const parameters = ["--parameters", `plat-dev-stateless-eu-west-1:TableStream=${STREAM}`];
    for (const inOneRegion of [false, true])
      expect(
        await parametersOf({
          ...FAILED_OVER,
          inOneRegion,
          region: inOneRegion ? "eu-west-1" : "eu-central-1",
        }),
      ).toEqual({ parameters, asked: ["plat-dev"] });
  });

  it("is that of an existing table", async () => {
    expect(await parametersOf({ ...DEPLOYING, tableName: "plat-restored" })).toEqual({
      parameters: ["--parameters", `plat-dev-stateless:TableStream=${STREAM}`],
      asked: ["plat-restored"],
    });
  });

  it("is absent if a template has it, and in a Region that does not publish", async () => {
    const none = { parameters: [], asked: [] };
    expect(await parametersOf(DEPLOYING)).toEqual(none);
    expect(await parametersOf({ ...FAILED_OVER, inOneRegion: true })).toEqual(none);
  });
});

const stackWith = (table: string) =>
  `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs><member><OutputKey>TableName</OutputKey><OutputValue>${table}</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;

/** Returns the answer to `DescribeTable`. */
function tableWith(description: object): string {
  return JSON.stringify({ Table: description });
}
