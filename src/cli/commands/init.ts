import { mkdir, readdir } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { usageError } from "../shell/exit.ts";
import { writeWhole } from "../shell/files.ts";
import { examples } from "../shell/help.ts";
import type { Io } from "../shell/io.ts";

interface Options {
  readonly protection: "dev" | "prod";
  readonly package?: string;
}

/** Makes the command that writes the app of an environment. It is the user's own from then on. */
export const initCommand = (io: Io): Command =>
  new Command("init")
    .summary("Write a CDK app that deploys Plat")
    .description(
      "Write a small CDK app into a new folder. It has Plat in one stack, and `npx cdk deploy` deploys it. Read it first: it is yours to change.",
    )
    .argument("<folder>", "An empty folder, or a new one; the stack gets its name")
    .addOption(
      new Option(
        "--protection <level>",
        "Whether the table stays when the stack is deleted: with prod it does",
      )
        .choices(["dev", "prod"])
        .default("dev"),
    )
    .option("--package <file>", "The tarball of plat-ipam, if no registry has it")
    .addHelpText(
      "after",
      examples(
        ["Write the app", "plat init shop-ipam"],
        ["Write one that keeps its table", "plat init shop-ipam --protection prod"],
      ),
    )
    .action((folder: string, options: Options) => init(io, folder, options));

/**
 * Names of stacks, in small letters because those of databases in Glue have no others. Systems Manager keeps parameters whose names begin
 * with `aws` or `ssm` for AWS.
 */
const STACK = /^(?!aws|ssm)[a-z][a-z0-9-]{0,127}$/;

async function init(io: Io, folder: string, options: Options): Promise<void> {
  const name = basename(resolve(folder));
  if (!STACK.test(name))
    throw usageError(
      `The folder is "${name}"; the stack gets its name, so it must have only small letters, digits and hyphens, begin with a letter but neither with aws nor with ssm, and have at most 128 characters.`,
    );
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw usageError(`${folder} cannot be read: ${error.message}`);
  });
  if (there.length > 0)
    throw usageError(`${folder} has files already; name a new folder. Nothing was written.`);
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw usageError(`${folder} cannot be created: ${error.message}`);
  });
  for (const [file, text] of Object.entries(appFiles(name, folder, options)))
    await writeWhole(join(folder, file), text);
  io.out(`${folder} has the app. Next:

  cd ${folder} && npm install
  npx cdk synth --quiet    # the template, in cdk.out
  npx cdk deploy           # README.md has the steps before and after
`);
}

/** Returns the files of the app by their names. */
function appFiles(name: string, folder: string, { protection, package: tarball }: Options) {
  const { "aws-cdk-lib": library, "aws-cdk": command, constructs } = manifest.devDependencies;
  const plat =
    tarball === undefined ? manifest.version : `file:${relative(folder, tarball) || tarball}`;
  const dependencies = {
    "aws-cdk": command,
    "aws-cdk-lib": library,
    constructs,
    [manifest.name]: plat,
  };
  const json = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "package.json": json({ name, private: true, type: "module", dependencies }),
    "cdk.json": json({ app: "node app.mjs" }),
    "app.mjs": appOf(name, protection),
    ".gitignore": "node_modules\ncdk.out\n",
    "README.md": readmeOf(name),
  };
}

const appOf = (name: string, protection: string) => `// Plat, all in one stack.
import { App, CfnOutput, Stack } from "aws-cdk-lib";
import { PlatEnvironment } from "plat-ipam/cdk";

const app = new App();
const stack = new Stack(app, "${name}");

// "prod" keeps the table when the stack is deleted, and "dev" does not.
// The id "Ipam" stays as it is: with another one, CloudFormation would make another table.
const plat = new PlatEnvironment(stack, "Ipam", { protection: "${protection}" });

new CfnOutput(stack, "Endpoint", { value: plat.endpoint });
`;

const readmeOf = (name: string) => `# ${name}

Plat, an IP address manager, in one stack of CloudFormation.

You need Node.js, and credentials of an AWS account as the AWS command line has them.

\`\`\`
npm install
npx cdk bootstrap        # once for an account and a Region
npx cdk diff             # what a deployment would change
npx cdk deploy           # ends with the URL of the API, as Endpoint
\`\`\`

The same credentials call the API, if they may call \`execute-api:Invoke\`:

\`\`\`
export PLAT_ENDPOINT=https://abc123.execute-api.eu-central-1.amazonaws.com
npx plat pool create lan --cidr 10.1.0.0/16
npx plat assign --host node-1 --ipv4 1 --handle web-0
\`\`\`

\`npx plat rollback --stack ${name}\` returns to the functions before the last deployment.
\`npx cdk destroy\` deletes the stack. With "dev" it fails at the bucket of the audit trail, unless that is empty.
Empty it then with \`aws s3 rm s3://BUCKET --recursive\`, and repeat \`npx cdk destroy\`.
`;
