import "../../src/local/environment.ts";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { installPackages } from "../../pack/packages.ts";
import { functionsOver } from "../../src/local/functions.ts";
import { serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";
import { OPERATIONS_FILE, operationsText, SCHEMA_FILE, textOf } from "./client-files.ts";
import { createLan, playAnsible, replayTerraform } from "./recipes.ts";
import { generateClientTypes, generateTypes, HERE, run, StepFailed, step, tool } from "./tools.ts";

/**
 * `npm run check:openapi`: two linters read the OpenAPI document by their strict rules, and clients from generators
 * complete the README's example over HTTP, that in Go with `WHOLE=true` only. The generated files of `plat-ipam/client` must be those of the contract.
 * The recipes of `docs/clients.md` whose programs come from PyPI assign and release.
 * The tools are packages of their own in this folder, because they need another TypeScript than the project, Python 3.10
 * or later with `venv`, and Go 1.25 or later. `PYTHON` names a Python other than `python3`.
 */

const CLIENT = join(HERE, "client");
const GENERATED = join(CLIENT, "generated");
const DOCUMENT = join(GENERATED, "openapi.json");
const VENV = join(HERE, ".venv");
const VENV_BIN = join(VENV, process.platform === "win32" ? "Scripts" : "bin");

/**
 * The warnings of openapi-python-client about the parts that it leaves out, because it supports JSON bodies, but not
 * those of YAML and NDJSON.
 */
const LEFT_OUT = ["application/yaml", "application/x-ndjson"].map(
  (type) => `Unsupported content type ${type}`,
);

/** Returns true if two files have the same text. */
async function isSame(one: string, other: string): Promise<boolean> {
  return existsSync(other) && (await readFile(one, "utf8")) === (await readFile(other, "utf8"));
}

/** Installs the tools from PyPI, in an environment of their own. */
async function installPython(): Promise<void> {
  const wanted = join(HERE, "requirements.txt");
  const installed = join(VENV, "installed.txt");
  if (await isSame(wanted, installed)) return;
  const python = process.env.PYTHON || "python3";
  try {
    await rm(VENV, { recursive: true, force: true });
    await run(python, ["-m", "venv", VENV]);
  } catch (error) {
    throw new StepFailed(
      `${python} made no virtual environment (${(error as Error).message}): Python 3.10 or later with venv is needed (on Debian: apt-get install python3-venv); PYTHON names another one.`,
    );
  }
  // Without bytecode: most of what is installed is never imported.
  const install = ["-m", "pip", "install", "--quiet", "--no-compile", "-r", wanted];
  await run(join(VENV_BIN, "python"), install);
  await copyFile(wanted, installed);
}

async function lint(): Promise<void> {
  await run(tool("redocly"), ["lint", DOCUMENT, "--extends=recommended-strict"]);
  const ruleset = join(HERE, "spectral.yaml");
  await run(tool("spectral"), ["lint", DOCUMENT, "--ruleset", ruleset, "--fail-severity=hint"]);
}

/** Compares the generated files of `plat-ipam/client` with what the contract generates now. */
async function compareClient(): Promise<void> {
  const [schema, operations] = await Promise.all([textOf(SCHEMA_FILE), textOf(OPERATIONS_FILE)]);
  if (schema !== (await generateClientTypes()) || operations !== operationsText())
    throw new StepFailed(
      "src/client/generated is not what the contract makes; run `npm run client`",
    );
}

/** Completes the example in TypeScript. */
async function completeInTypeScript(url: string): Promise<string> {
  await generateTypes(DOCUMENT, join(GENERATED, "schema.d.ts"));
  await run(tool("tsc"), ["-p", CLIENT]);
  // Imported after the type check, because the types do not exist before.
  const { completeExample } = await import(new URL("client/example.ts", import.meta.url).href);
  return completeExample(url);
}

async function completeInPython(url: string): Promise<string> {
  const client = join(GENERATED, "plat_client");
  const args = ["generate", "--path", DOCUMENT, "--output-path", client, "--meta=none"];
  // The generator formats its code with the ruff of the same environment.
  const env = { PATH: [VENV_BIN, process.env.PATH].join(delimiter) };
  const told = await run(join(VENV_BIN, "openapi-python-client"), args, { env });
  const warned = told.split(/^(?:WARNING|ERROR) /m).slice(1);
  const unknown = warned.filter((warning) => !LEFT_OUT.some((left) => warning.includes(left)));
  if (unknown.length > 0)
    throw new StepFailed(`openapi-python-client warns of\n${unknown.join("\n")}`);
  return (await run(join(VENV_BIN, "python"), ["example.py", url], { cwd: CLIENT })).trim();
}

/** Completes the example in Go. The module of the example names its generator, which Go brings. */
async function completeInGo(url: string): Promise<string> {
  const cwd = join(CLIENT, "go");
  await rm(join(cwd, "plat"), { recursive: true, force: true });
  await mkdir(join(cwd, "plat"));
  await run("go", ["tool", "oapi-codegen", "-config", "oapi-codegen.yaml", DOCUMENT], {
    cwd,
  }).catch((error: Error) => {
    throw error instanceof StepFailed
      ? error
      : new StepFailed(`There is no Go: ${error.message}. Go 1.25 or later is needed.`);
  });
  return (await run("go", ["run", ".", url], { cwd })).trim();
}

const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
const serving = await serve(handlers, { port: 0 });
const { url } = serving;
try {
  await step("tools of npm", () => installPackages(HERE));
  await step("tools of Python", installPython);
  await rm(GENERATED, { recursive: true, force: true });
  await mkdir(GENERATED, { recursive: true });
  await writeFile(DOCUMENT, await (await fetch(`${url}/openapi.json`)).text());
  await step("plat-ipam/client is what the contract makes", compareClient);
  await step("redocly recommended-strict and spectral:oas find nothing", lint);
  await step("a client of openapi-typescript assigned", () => completeInTypeScript(url));
  await step("a client of openapi-python-client assigned", () => completeInPython(url));
  // A cold build of the generator takes as much of the processor as all other steps.
  if (process.env.WHOLE === "true")
    await step("a client of oapi-codegen assigned", () => completeInGo(url));
  await createLan(url);
  const ansible = join(GENERATED, "ansible");
  await step("the playbook of Ansible assigned", () => playAnsible(url, VENV_BIN, ansible));
  await step("the requests of Terraform assigned", () => replayTerraform(url, VENV_BIN));
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await serving.stop();
}
