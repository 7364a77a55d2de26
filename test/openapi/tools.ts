import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages } from "../../pack/packages.ts";
import { clientDocument, schemaText } from "./client-files.ts";

export const HERE = fileURLToPath(new URL(".", import.meta.url));

/** Returns the path of a tool that npm installed in this folder. */
export const tool = (name: string) => join(HERE, "node_modules", ".bin", name);

/** A failed step; the output of its program has the reason. */
export class StepFailed extends Error {}

/** Does a step, and prints what it returned, if that is a text, and how long it took. */
export async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const result = await act();
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${name}: ${typeof result === "string" ? `${result}, ` : ""}${seconds} s`);
  return result;
}

/** Runs a program to its end, and returns what it printed. */
export async function run(
  command: string,
  args: readonly string[],
  { cwd = HERE, env = {} }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } });
  let printed = "";
  const keep = (chunk: Buffer) => {
    printed += chunk.toString("utf8");
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const [code] = await once(child, "close");
  if (code !== 0)
    throw new StepFailed(`${command} ${args.join(" ")} ended with ${code}:\n${printed}`);
  return printed;
}

/** Writes the types of a document to a file. */
export async function generateTypes(
  document: string,
  types: string,
  ...more: readonly string[]
): Promise<void> {
  const args = [document, "-o", types, ...more];
  await run(tool("openapi-typescript"), args);
}

/** Returns the types of the client, as they are generated from the contract. */
export async function generateClientTypes(): Promise<string> {
  await installPackages(HERE);
  const folder = await mkdtemp(join(tmpdir(), "plat-client-"));
  try {
    const [document, types] = [join(folder, "openapi.json"), join(folder, "schema.ts")];
    await writeFile(document, JSON.stringify(clientDocument()));
    await generateTypes(document, types, "--export-type");
    return schemaText(await readFile(types, "utf8"));
  } finally {
    await rm(folder, { recursive: true });
  }
}
