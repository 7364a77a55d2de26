import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ENVIRONMENT_NAMES, stageName } from "../../cdk/environments.ts";
import { COMMAND_BUILD } from "../../pack/command.ts";
import manifest from "../../package.json" with { type: "json" };
import { type Started, start } from "../local/process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SMOKE = join(ROOT, "docs/examples/smoke.sh");

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly needs?: string;
  readonly environment: string;
  readonly steps: readonly Step[];
}

const workflow: {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
} = parse(readFileSync(`${ROOT}docs/examples/deploy.yml`, "utf8"));
const commandsOf = ({ steps }: Job) => steps.flatMap(({ run }) => run?.split("\n") ?? []);

describe("the example of a workflow", () => {
  it("diffs and deploys dev, tests it, shows the diff of prod, and deploys prod once it is approved", () => {
    const { dev, "prod-diff": diff, prod, ...others } = workflow.jobs;
    expect(others).toEqual({});
    expect([dev?.needs, diff?.needs, prod?.needs]).toEqual([undefined, "dev", "prod-diff"]);
    expect([dev, diff, prod].map((job) => job?.environment)).toEqual(["dev", "prod-diff", "prod"]);
    const acts = [dev, diff, prod].map((job) =>
      (job ? commandsOf(job) : []).flatMap(
        (command) => /cdk diff "plat-\w+|deploy -- --env \w+|smoke\.sh/.exec(command) ?? [],
      ),
    );
    expect(acts).toEqual([
      ['cdk diff "plat-dev', "deploy -- --env dev", "smoke.sh"],
      ['cdk diff "plat-prod'],
      ["deploy -- --env prod", "smoke.sh"],
    ]);
  });

  it("has commands and environments that there are", () => {
    for (const command of Object.values(workflow.jobs).flatMap(commandsOf)) {
      const [, script] = /npm run (\S+)/.exec(command) ?? [];
      if (script) expect(Object.keys(manifest.scripts)).toContain(script);
      const [, environment] = /--env (\w+)/.exec(command) ?? [];
      if (environment) expect(ENVIRONMENT_NAMES).toContain(environment);
      const [, stage] = /"(plat-\w+)\/\*"/.exec(command) ?? [];
      if (stage) expect(ENVIRONMENT_NAMES.map(stageName)).toContain(stage);
    }
  });

  it("tests the first of the stacks that have an endpoint, as each further Region has one", () => {
    for (const environment of ENVIRONMENT_NAMES) {
      const reads = commandsOf(workflow.jobs[environment] ?? expect.fail()).filter((command) =>
        command.includes("outputs.json)"),
      );
      expect(reads).toEqual([
        `export PLAT_ENDPOINT=$(jq -r '."${stageName(environment)}-stateless".Endpoint' outputs.json)`,
      ]);
    }
  });

  it("gets its credentials from a token of OIDC in every job, and has no secret", () => {
    expect(workflow.permissions).toEqual({ contents: "read", "id-token": "write" });
    for (const { steps } of Object.values(workflow.jobs))
      expect(
        steps.flatMap((step) => (step.uses?.includes("credentials") ? [step.with] : [])),
      ).toEqual([
        {
          "role-to-assume": expect.stringContaining("vars."),
          "aws-region": expect.stringContaining("vars."),
        },
      ]);
    expect(JSON.stringify(workflow)).not.toMatch(/secrets\.|AKIA/);
  });
});

describe("the smoke test", () => {
  let plat: Started;
  let folder: string;
  beforeAll(async () => {
    // A folder of its own: tests of the package build `dist` of the clone meanwhile.
    folder = await mkdtemp(join(tmpdir(), "plat-smoke-"));
    const outfile = join(folder, "dist", "plat.js");
    await build({ ...COMMAND_BUILD, absWorkingDir: ROOT, outfile });
    plat = await start(["--port", "0", "--memory"]);
  });
  afterAll(async () => {
    plat.process.kill("SIGKILL");
    await plat.ended;
    await rm(folder, { recursive: true });
  });

  it("assigns, reads, releases and checks, and runs again", async () => {
    for (const run of ["1", "2"]) {
      const env = { ...process.env, PLAT_ENDPOINT: plat.url, GITHUB_RUN_ID: run };
      const { stdout } = await promisify(execFile)(SMOKE, { cwd: folder, env });
      expect(stdout).toMatch(/assigned[\s\S]*released[\s\S]*Every invariant holds\./);
    }
  });
});
