import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDeployment } from "../../cdk/deployment.ts";
import { UsageError } from "../../src/local/usage-error.ts";
import { contextFiles, contextOf } from "../../twin/assembly.ts";

const CONTEXTS = ["cdk.json", "cdk.context.json"];

async function contextBeside(deployed: object) {
  const root = await mkdtemp(join(tmpdir(), "plat-"));
  await writeFile(join(root, "cdk.json"), JSON.stringify({ app: "app", context: { flag: true } }));
  await writeFile(join(root, "cdk.context.json"), JSON.stringify(deployed));
  const of = (files: readonly string[]) => contextOf(root, files);
  try {
    return { twins: await of(CONTEXTS), tests: await of(contextFiles()) };
  } finally {
    await rm(root, { recursive: true });
  }
}

/** An environment without settings. */
const UNSET = readDeployment("dev", undefined);

it("the twin is where a deployment would be, with a table that it makes itself", async () => {
  const place = { account: "210987654321", region: "eu-west-1", spaces: ["blue"] };
  const deployed = { "plat:prod": { ...place, tableName: "restored" }, other: 1 };
  const { twins } = await contextBeside(deployed);
  expect(twins).toEqual({
    flag: true,
    other: 1,
    "plat:dev": UNSET,
    "plat:prod": { ...UNSET, ...place },
  });
});

it("the tests' templates are of no account, whatever is deployed from the same folder", async () => {
  const { tests } = await contextBeside({
    "plat:prod": { account: "210987654321", region: "eu-west-1" },
  });
  expect(tests).toEqual({ flag: true, "plat:dev": UNSET, "plat:prod": UNSET });
});

it("a wrong setting is rejected by its name", async () => {
  const error = await contextBeside({ "plat:prod": { region: 1 } }).catch((error) => error);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toMatch(/^plat:prod is .*region must be a Region/);
});
