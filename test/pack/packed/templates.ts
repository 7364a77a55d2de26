import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { App, Stack } from "aws-cdk-lib";
import {
  PlatData,
  PlatEnvironment,
  type PlatEnvironmentProps,
  PlatStage,
  type PlatStageProps,
} from "../../../cdk/index.ts";

const run = promisify(execFile);

/** Environments that have, all together, every choice. Each is a stack of its own. */
const CHOICES: Readonly<Record<string, PlatEnvironmentProps>> = {
  dev: { protection: "dev" },
  prod: {
    dashboard: true,
    probe: true,
    rollout: "canary",
    tracing: "xray",
    trailLock: { mode: "governance", days: 30 },
  },
  token: { access: { type: "token", secret: "plat/tokens" }, console: {}, publicHealth: true },
  jwt: {
    access: {
      type: "jwt",
      issuer: "https://issuer.example",
      audience: ["plat"],
      rolesClaim: "plat_roles",
    },
    domain: {
      name: "ipam.example.org",
      certificateArn: "arn:aws:acm:eu-central-1:123456789012:certificate/1",
    },
  },
};

/** A stage with all that an environment in one stack cannot have. */
const STAGE: PlatStageProps = {
  account: "123456789012",
  region: "eu-central-1",
  regions: { replicas: ["eu-west-1"], witness: "eu-west-3", active: "eu-west-1" },
  customerManagedKey: true,
  spaces: ["blue"],
};

const PROGRAM = `
import { App, Stack } from "aws-cdk-lib";
import { PlatData, PlatEnvironment, PlatStage } from "plat-ipam/cdk";

const app = new App();
for (const [name, props] of Object.entries(${JSON.stringify(CHOICES)}))
  new PlatEnvironment(new Stack(app, name), "Ipam", props);
const data = new PlatData(new Stack(app, "data"), "Data");
new PlatEnvironment(new Stack(app, "code"), "Ipam", { data });
new PlatStage(app, "stage", ${JSON.stringify(STAGE)});
`;

type Templates = Readonly<Record<string, unknown>>;

/**
 * Returns the templates that the package makes with a version of the CDK, by their files.
 *
 * @param place an empty folder
 * @param tarball the package
 * @param cdk the folder with the packages `aws-cdk-lib` and `constructs`
 */
export async function templatesOfPackage(
  place: string,
  tarball: string,
  cdk: string,
): Promise<Templates> {
  const folder = await mkdtemp(join(place, "app-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "plat-ipam"), { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", join(modules, "plat-ipam"), "--strip-components=1"]);
  for (const peer of ["aws-cdk-lib", "constructs"])
    await symlink(join(cdk, peer), join(modules, peer));
  await writeFile(join(folder, "app.mjs"), PROGRAM);
  const env = { ...process.env, CDK_OUTDIR: join(folder, "out") };
  await run(process.execPath, ["app.mjs"], { cwd: folder, env });
  return readTemplates(join(folder, "out"));
}

/** Returns the templates that the sources make, by their files. @param place an empty folder */
export async function templatesOfSources(place: string): Promise<Templates> {
  const outdir = join(place, "sources");
  const app = new App({ outdir, context: { "aws:cdk:bundling-stacks": [] } });
  for (const [name, props] of Object.entries(CHOICES))
    new PlatEnvironment(new Stack(app, name), "Ipam", props);
  const data = new PlatData(new Stack(app, "data"), "Data");
  new PlatEnvironment(new Stack(app, "code"), "Ipam", { data });
  new PlatStage(app, "stage", STAGE);
  app.synth();
  const templates = await readTemplates(outdir);
  await rm(outdir, { recursive: true });
  return templates;
}

/** The hash at the end of the logical id of a version, which is that of the code and its settings. */
const VERSION = /(CurrentVersion[0-9A-F]{8})[0-9a-f]{32}/g;

/** Reads templates without what the place of the code, or the version of the CDK, makes of them. */
async function readTemplates(outdir: string): Promise<Templates> {
  const files = await readdir(outdir, { recursive: true });
  const read = async (name: string) => {
    const text = await readFile(join(outdir, name), "utf8");
    const { Resources, ...others } = JSON.parse(text.replace(VERSION, "$1"));
    for (const resource of Object.values<Record<string, unknown>>(Resources)) {
      delete resource.Metadata;
      if (resource.Type === "AWS::Lambda::Function")
        delete (resource.Properties as Record<string, unknown>).Code;
    }
    delete Resources.CDKMetadata;
    return [name, { Resources, ...others }] as const;
  };
  return Object.fromEntries(
    await Promise.all(files.filter((name) => name.endsWith(".template.json")).map(read)),
  );
}
