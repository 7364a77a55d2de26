import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { parse, stringify } from "yaml";
import { YAML } from "../output/print.ts";
import { usageError } from "../shell/exit.ts";
import { writeWhole } from "../shell/files.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";

const text = v.pipe(v.string(), v.nonEmpty());

const context = v.strictObject({
  endpoint: text,
  space: v.optional(text),
  region: v.optional(text),
  profile: v.optional(text),
  tokenFile: v.optional(text),
});

const contexts = v.strictObject({
  current: v.optional(text),
  contexts: v.record(text, context),
});

/** An API, a space, and the way to its credentials. It has no secret: a token stays in its file, and a key in the profile of AWS. */
export type ApiContext = v.InferOutput<typeof context>;

/** The contexts of a user by their names, and the one that commands use. */
export type Contexts = v.InferOutput<typeof contexts>;

type Environment = Io["env"];

/** Returns the path of the file with the contexts: `PLAT_CONFIG`, else `plat/config.yaml` where the user keeps configuration. */
export const contextsFile = ({ PLAT_CONFIG, XDG_CONFIG_HOME, APPDATA }: Environment): string =>
  PLAT_CONFIG ||
  join(XDG_CONFIG_HOME || APPDATA || join(homedir(), ".config"), "plat", "config.yaml");

/** Reads the contexts of a user; none without a file. Errors: the file has something else. */
export async function readContexts(io: Io): Promise<Contexts> {
  const file = contextsFile(io.env);
  const said = await readInput(io, file, "");
  if (said === "") return { contexts: {} };
  const { output, issues, success } = v.safeParse(contexts, parsedYaml(file, said));
  if (success) return output;
  const [{ message, path = [] }] = issues;
  throw usageError(
    `${file} is not valid at ${path.map(({ key }) => key).join(".") || "its start"}: ${message}.\nMend the file, or delete it.`,
  );
}

function parsedYaml(file: string, said: string): unknown {
  try {
    return parse(said);
  } catch (error) {
    throw usageError(`${file} is not YAML: ${(error as Error).message}`);
  }
}

/** The mode of a file that its owner alone reads and writes. */
const OWN = 0o600;

/** Writes the contexts. Others on the machine cannot read the file, and no reader meets a half of it. */
export async function writeContexts({ env }: Io, changed: Contexts): Promise<void> {
  const file = contextsFile(env);
  await mkdir(dirname(file), { recursive: true }).catch((error: Error) => {
    throw usageError(`${file} cannot be written: ${error.message}`);
  });
  await writeWhole(file, stringify(changed, YAML), OWN);
}

/** Returns the context with a name. Errors: there is none. */
export function contextNamed(io: Io, { contexts: known }: Contexts, name: string): ApiContext {
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  if (found) return found;
  const names = Object.keys(known);
  throw usageError(
    `There is no context ${JSON.stringify(name)} in ${contextsFile(io.env)}; ${names.length > 0 ? `it has ${names.join(", ")}` : "it has none"}.\nMake one with \`plat config set ${name} --endpoint URL\`.`,
  );
}
