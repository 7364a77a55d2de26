import { isRecord } from "../../contract/schema/schema.ts";
import { isList, isManifest, nameOf, titleOf } from "../../edge/http/choose-manifest.ts";
import { usageError } from "../shell/exit.ts";
import { readInput } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { yamlDocuments } from "../shell/yaml-documents.ts";
import { KINDS, type Kind, type Manifest, nameIn, titled } from "./kind.ts";

/** An object to create or change in the API, with its name. */
export interface Wanted {
  readonly kind: Kind;
  readonly name: string;
  readonly body: object;
  /** Fields that its manifest cannot contain, so that they stay unchanged. */
  readonly unsaid: readonly string[];
}

export interface Documents {
  readonly wanted: readonly Wanted[];
  /** The manifests of other kinds, each by its kind and name. */
  readonly ignored: readonly string[];
}

/**
 * Reads the documents in files: one or more manifests, or lists of them. It also reads the output of `get -o json` and
 * `get -o yaml`, which has the kind of the command. Errors: a file that cannot be read, or that has other content.
 */
export async function readDocuments(
  io: Io,
  files: readonly string[],
  plain: Kind,
): Promise<Documents> {
  const wanted: Wanted[] = [];
  const ignored: string[] = [];
  for (const file of files)
    for (const item of itemsOf(file, parsed(file, await readInput(io, file)), plain)) {
      const isPlain = !isManifest(item) || isOfName(plain, item);
      const meant = isPlain ? saidPlainly(file, item, plain) : described(file, item);
      if (meant) wanted.push(meant);
      else ignored.push(titleOf(item));
    }
  checkOnce(wanted);
  return { wanted, ignored };
}

/** Parses the documents of a text. JSON is valid YAML, but parses much faster as JSON. */
function parsed(file: string, text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return yamlDocuments(text, (problem) =>
      usageError(`${file} is neither JSON nor YAML: ${problem}`),
    );
  }
}

function itemsOf(
  file: string,
  documents: readonly unknown[],
  { plural }: Kind,
): readonly unknown[] {
  return documents.flatMap((document) => {
    const isOurs = isRecord(document) && !isManifest(document) && Object.hasOwn(document, plural);
    if (!isOurs && !(isManifest(document) && isList(document))) return [document];
    const field = isOurs ? plural : "items";
    const items = document[field];
    if (Array.isArray(items)) return items;
    throw usageError(`${file} has ${field}, but not as an array.`);
  });
}

/** Returns the object that a manifest describes; nothing for kinds that Plat does not have. */
function described(file: string, manifest: Record<string, unknown>): Wanted | undefined {
  const forms = KINDS.flatMap((kind) => kind.manifests.map((form) => ({ kind, form })));
  const found = forms.find(
    ({ form: { kind, apiVersions } }) =>
      manifest.kind === kind && apiVersions.some((version) => version === manifest.apiVersion),
  );
  if (!found) return undefined;
  const { kind, form } = found;
  const name = nameOf(manifest);
  if (typeof name !== "string")
    throw usageError(`${file} has a ${form.kind} without metadata.name.`);
  const body = form.bodyOf(manifest as unknown as Manifest);
  return { kind, name, body, unsaid: form.unsaid };
}

/** Returns true for an object whose name has its kind, which a manifest has as well. */
const isOfName = (plain: Kind, item: Record<string, unknown>): boolean =>
  plain.nameFields !== undefined && !Object.hasOwn(item, "apiVersion");

function saidPlainly(file: string, item: unknown, kind: Kind): Wanted {
  const name = isRecord(item) ? nameIn(kind, item) : undefined;
  if (isRecord(item) && name !== undefined) {
    if (Object.hasOwn(item, "space"))
      throw usageError(
        `${file} names the space of ${titled(kind, name)}; leave it out, and use --space.`,
      );
    return { kind, name, body: item, unsaid: [] };
  }
  throw usageError(
    `${file} has something that is neither a manifest, with apiVersion and kind, nor one of the ${kind.plural} as \`get -o yaml\` prints them, with a name.`,
  );
}

function checkOnce(wanted: readonly Wanted[]): void {
  const titles = new Set<string>();
  for (const { kind, name } of wanted) {
    const title = titled(kind, name);
    if (titles.has(title)) throw usageError(`${title} is described more than once.`);
    titles.add(title);
  }
}
