import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openApi } from "../../src/contract/openapi.ts";
import { go } from "../built-once.ts";
import { run, StepFailed, step } from "../openapi/tools.ts";
import { openTofu } from "./open-tofu.ts";

/**
 * `npm run test:terraform`: the generated client and the documentation of the provider in `terraform/` are what they are
 * made of, its Go tests pass, and OpenTofu applies configurations with it to servers of Plat.
 * OpenTofu is built from the Go module proxy once, which takes minutes. `PLAT_TERRAFORM` names another binary of OpenTofu
 * or Terraform. It needs Go 1.26. With `--write` it writes the generated files instead of comparing them.
 * Further arguments go to `go test`, such as `-run TestPool`.
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROVIDER = join(ROOT, "terraform");
const TOOLS = join(PROVIDER, "tools");
const CLIENT = join("internal", "api", "api.gen.go");

/** The tests wait for most of their time. */
const TESTS_AT_ONCE = 4;

const args = process.argv.slice(2);
const isWriting = args.includes("--write");

/** Generates the client in a folder with the configuration of the generator. */
async function generateClient(folder: string): Promise<void> {
  const document = join(folder, "openapi.json");
  await writeFile(document, JSON.stringify(openApi()));
  const config = (await readFile(join(PROVIDER, "oapi-codegen.yaml"), "utf8")).replace(
    /^output: .*$/m,
    `output: ${join(folder, "api.gen.go")}`,
  );
  await writeFile(join(folder, "oapi-codegen.yaml"), config);
  await go(TOOLS, ["tool", "oapi-codegen", "-config", join(folder, "oapi-codegen.yaml"), document]);
}

async function compareClient(): Promise<void> {
  await inFolder(async (folder) => {
    await generateClient(folder);
    const made = await readFile(join(folder, "api.gen.go"), "utf8");
    const kept = join(PROVIDER, CLIENT);
    if (isWriting) await writeFile(kept, made);
    else if (!existsSync(kept) || (await readFile(kept, "utf8")) !== made) throw stale(CLIENT);
  });
}

/** Generates the documentation from the schema of the built provider, its examples and its templates. */
async function compareDocumentation(built: string, terraform: string): Promise<void> {
  await inFolder(async (folder) => {
    for (const part of ["examples", "templates"])
      if (existsSync(join(PROVIDER, part)))
        await cp(join(PROVIDER, part), join(folder, part), { recursive: true });
    const schema = join(folder, "schema.json");
    await writeFile(schema, await schemaOf(folder, built, terraform));
    await go(TOOLS, [
      ...["tool", "tfplugindocs", "generate", "--provider-dir", folder],
      ...["--provider-name", "plat", "--providers-schema", schema],
    ]);
    const [made, kept] = [join(folder, "docs"), join(PROVIDER, "docs")];
    if (isWriting) {
      await rm(kept, { recursive: true, force: true });
      await cp(made, kept, { recursive: true });
    } else if ((await textsIn(made)) !== (await textsIn(kept))) throw stale("docs");
  });
}

/** Returns the schema of the provider under the name that its documentation has. */
async function schemaOf(folder: string, built: string, terraform: string): Promise<string> {
  const rc = join(folder, "tofu.rc");
  await writeFile(
    rc,
    `provider_installation {\n  dev_overrides {\n    "plat-ipam/plat" = "${built}"\n  }\n  direct {}\n}\n`,
  );
  const source =
    'terraform {\n  required_providers {\n    plat = {\n      source = "plat-ipam/plat"\n    }\n  }\n}\n';
  const configured = join(folder, "configured");
  await mkdir(configured);
  await writeFile(join(configured, "main.tf"), source);
  const env = { TF_CLI_CONFIG_FILE: rc };
  const printed = await run(terraform, ["providers", "schema", "-json"], { cwd: configured, env });
  const text = printed.slice(printed.indexOf("{"));
  // The generator looks for the provider under the host of Terraform's registry.
  return text.replace(/"[^"]*\/plat-ipam\/plat"/, '"registry.terraform.io/hashicorp/plat"');
}

/** Returns the names and texts of all files in a folder. */
async function textsIn(folder: string): Promise<string> {
  if (!existsSync(folder)) return "";
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
  const texts = paths
    .sort()
    .map(async (path) => [path.slice(folder.length), await readFile(path, "utf8")]);
  return JSON.stringify(await Promise.all(texts));
}

const stale = (what: string) =>
  new StepFailed(
    `terraform/${what} is not what it is made of; run \`npm run test:terraform -- --write\``,
  );

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "plat-terraform-"));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  const terraform = await step("OpenTofu", openTofu);
  await step("the client is what the contract makes", compareClient);
  await inFolder(async (built) => {
    await step("the provider is built", () =>
      go(PROVIDER, ["build", "-o", join(built, "terraform-provider-plat"), "."]),
    );
    await step("the documentation is what the schema makes", () =>
      compareDocumentation(built, terraform),
    );
    if (isWriting) return;
    await step("go vet", () => go(PROVIDER, ["vet", "./..."]));
    const tests = [
      "test",
      "-count=1",
      "-timeout=20m",
      `-parallel=${TESTS_AT_ONCE}`,
      ...args,
      "./...",
    ];
    const env = { PLAT_TERRAFORM: terraform, PLAT_PROVIDER: built, PLAT_ROOT: ROOT };
    console.log(await step("the tests", () => go(PROVIDER, tests, env)));
  });
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
