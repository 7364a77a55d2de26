import { isList, isManifest, nameInManifest, titleOf } from "../../api/http/choose-manifest.ts";
import type { ManifestKind } from "../../api/manifest.ts";
import { isRecord } from "../../api/schema/schema.ts";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { usageError } from "../shell/exit.ts";
import { readInputs, repeatedIn } from "../shell/input.ts";
import type { Io } from "../shell/io.ts";
import { yamlDocuments } from "../shell/yaml-documents.ts";
import {
  KINDS,
  type Manifest,
  nameInDocument,
  type ResourceKind,
  type SetForm,
  titled,
} from "./kind.ts";

/** An object to create, change or delete in the API, with its name. */
export interface WantedObject {
  readonly kind: ResourceKind;
  readonly name: string;
  /** Absent: it is to be deleted. */
  readonly body?: object;
  /** Fields that its manifest cannot contain, so that they stay unchanged. */
  readonly unsaid: readonly string[];
}

/** A set of objects, all of which one manifest describes. */
export interface WantedSet {
  readonly kind: ResourceKind;
  readonly form: SetForm;
  readonly name: string;
}

export interface Documents {
  readonly wanted: readonly WantedObject[];
  readonly sets: readonly WantedSet[];
  /** The manifests of other kinds, each by its kind and name. */
  readonly ignored: readonly string[];
}

/**
 * Reads the documents in files: one or more manifests, or lists of them. It also reads the output of `get -o json` and
 * `get -o yaml`, which has the kind of the command. Errors: a file that cannot be read, or that has other content.
 */
export async function readWanted(
  io: Io,
  files: readonly string[],
  plain: ResourceKind,
): Promise<Documents> {
  const wanted: WantedObject[] = [];
  const sets: WantedSet[] = [];
  const ignored: string[] = [];
  for (const { name: file, text } of await readInputs(io, files))
    for (const item of itemsIn(file, text, plain)) {
      const isPlain = !isManifest(item) || isOfName(plain, item);
      const meant = isPlain ? [saidPlainly(file, item, plain)] : described(file, item);
      const members = isPlain ? undefined : describedAsSet(file, item);
      if (members) sets.push(members.set);
      wanted.push(...(meant ?? members?.wanted ?? []));
      if (!meant && !members) ignored.push(titleOf(item));
    }
  checkOnce([
    ...wanted.map(({ kind, name }) => titled(kind, name)),
    ...sets.map(({ form, name }) => `${form.kind} ${name}`),
  ]);
  return { wanted, sets, ignored };
}

/** Returns the documents in the text of a file, and the items of its lists. Errors: a text that cannot be parsed. */
export const itemsIn = (
  file: string,
  text: string,
  kind: Pick<ResourceKind, "plural">,
): readonly unknown[] => itemsOf(file, parsed(file, text), kind);

/** Parses the documents of a text. JSON is valid YAML, but parses much faster as JSON. */
function parsed(file: string, text: string): readonly unknown[] {
  try {
    return [parseJson(text)];
  } catch (error) {
    if (error instanceof RepeatedFieldError) throw repeatedIn(file, error);
    return yamlDocuments(text, (problem) =>
      usageError(`${file} is neither JSON nor YAML: ${problem}`),
    );
  }
}

function itemsOf(
  file: string,
  documents: readonly unknown[],
  { plural }: Pick<ResourceKind, "plural">,
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

/** Returns the object that a manifest describes; nothing for kinds that are none of Plat's. */
function described(
  file: string,
  manifest: Record<string, unknown>,
): readonly WantedObject[] | undefined {
  const found = formOf(manifest, ({ manifests }) => manifests);
  if (!found) return undefined;
  const { kind, form } = found;
  const name = nameFor(file, form, manifest);
  const body = form.bodyOf(manifest as unknown as Manifest);
  return [{ kind, name, body, unsaid: form.unsaid }];
}

/** Returns the objects that a manifest describes as a set; nothing for other kinds. */
function describedAsSet(file: string, manifest: Record<string, unknown>) {
  const found = formOf(manifest, ({ sets }) => sets);
  if (!found) return undefined;
  const { kind, form } = found;
  const set: WantedSet = { ...found, name: nameFor(file, form, manifest) };
  const members = form.membersOf(manifest as unknown as Manifest);
  const wanted = members.map((member): WantedObject => ({ kind, ...member, unsaid: form.unsaid }));
  return { set, wanted };
}

/** Returns the form of a manifest, among those of all kinds. */
function formOf<Form extends ManifestKind>(
  manifest: Record<string, unknown>,
  formsOf: (kind: ResourceKind) => readonly Form[],
): { readonly kind: ResourceKind; readonly form: Form } | undefined {
  const forms = KINDS.flatMap((kind) => formsOf(kind).map((form) => ({ kind, form })));
  return forms.find(
    ({ form: { kind, apiVersions } }) =>
      manifest.kind === kind && apiVersions.some((version) => version === manifest.apiVersion),
  );
}

function nameFor(file: string, { kind }: ManifestKind, manifest: Record<string, unknown>): string {
  const name = nameInManifest(manifest);
  if (typeof name === "string" && name !== "") return name;
  throw usageError(`${file} has a manifest of kind ${kind} without metadata.name.`);
}

/** Returns true for an object whose name has its kind, which a manifest has as well. */
const isOfName = (plain: ResourceKind, item: Record<string, unknown>): boolean =>
  plain.nameFields !== undefined && !Object.hasOwn(item, "apiVersion");

function saidPlainly(file: string, item: unknown, kind: ResourceKind): WantedObject {
  const name = isRecord(item) ? nameInDocument(kind, item) : undefined;
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

function checkOnce(titles: readonly string[]): void {
  const seen = new Set<string>();
  for (const title of titles) {
    if (seen.has(title)) throw usageError(`${title} is described more than once.`);
    seen.add(title);
  }
}
