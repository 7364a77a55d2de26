import type * as v from "valibot";
import { Composer, Lexer, Parser } from "yaml";
import { isManifest } from "../../api/http/choose-manifest.ts";
import { orProblem, Problem } from "../../api/schema/problem.ts";
import { checked, cut, isRecord } from "../../api/schema/schema.ts";
import { parseJson, RepeatedFieldError } from "../../base/json-text.ts";
import { usageError, usageErrors } from "../shell/exit.ts";
import { repeatedIn } from "../shell/input.ts";

/** A kind of object in a dump of `kubectl get -o json`. */
interface ObjectKind {
  readonly apiVersions: RegExp;
  readonly schema: v.GenericSchema;
}

type Kinds = Readonly<Record<string, ObjectKind>>;

/** The objects of a dump by kind. */
export type Objects<Of extends Kinds> = {
  readonly [Kind in keyof Of]: readonly v.InferOutput<Of[Kind]["schema"]>[];
};

/** The form of a dump, as far as it is not that of every output of kubectl. */
interface Form {
  /** Returns the objects that a document of a file stands for. */
  readonly objectsOf: (file: string, document: unknown) => readonly unknown[];
  /** Returns the error of a file with a value that is no object with a kind. */
  readonly withoutKind: (file: string, value: unknown) => string;
}

const KUBECTL: Form = {
  objectsOf: (_, document) => [document],
  withoutKind: (file) => `${file} has an object without a kind: it is no output of kubectl.`,
};

/**
 * Reads the objects of the given kinds in texts, each under the name of its file. Errors: a text that is neither JSON nor YAML, and
 * objects that differ from their schema.
 *
 * @returns the objects, and a note for each other kind
 */
export function objectsIn<Of extends Kinds>(
  texts: ReadonlyMap<string, string>,
  kinds: Of,
  { objectsOf, withoutKind }: Form = KUBECTL,
): { readonly objects: Objects<Of>; readonly notes: readonly string[] } {
  const lists = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as unknown[]]));
  const ignored = new Map<string, number>();
  const problems: string[] = [];
  for (const [file, text] of texts)
    for (const item of documentsOf(file, text).flatMap((document) => objectsOf(file, document))) {
      if (!isManifest(item)) {
        problems.push(withoutKind(file, item));
        continue;
      }
      const kind = String(item.kind);
      const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (!known?.apiVersions.test(String(item.apiVersion))) {
        // One kind can be that of several tools, and of an old version of one.
        const title = cut(known ? `${kind} (${item.apiVersion})` : kind);
        ignored.set(title, (ignored.get(title) ?? 0) + 1);
        continue;
      }
      const value = orProblem(() => checked(known.schema, item));
      if (value instanceof Problem)
        problems.push(`${file}: ${kind} ${nameOf(item)}: ${value.detail}`);
      else lists[kind]?.push(value);
    }
  if (problems.length > 0) throw usageErrors(problems);
  const notes = [...ignored].map(([kind, count]) => `${count} of kind ${kind}: not imported.`);
  return { objects: lists as unknown as Objects<Of>, notes };
}

/** An object as its cluster has it. */
interface Named {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string | null | undefined;
  };
}

/** Returns false for an object that its cluster is deleting. It is there until its last address is released, and serves nobody. */
export const isServing = ({ metadata }: Named): boolean => !metadata.deletionTimestamp;

/** Returns what an import says of a pool that its cluster is deleting. */
export const closingNotes = (pool: Named): readonly string[] =>
  isServing(pool) ? [] : [`Pool ${pool.metadata.name} is being deleted: imported as disabled.`];

function nameOf({ metadata, spec }: Record<string, unknown>): string {
  for (const [part, field] of [
    [metadata, "name"],
    [spec, "cidr"],
    [spec, "handleID"],
  ] as const)
    if (isRecord(part) && typeof part[field] === "string") return cut(part[field]);
  return "without a name";
}

/**
 * The maximum depth. A resource in a list has ten levels. A text with a hundred times as many can take minutes to read,
 * or overflow the stack.
 */
const LEVELS_MAX = 64;
/**
 * The separator that `calicoctl datastore migrate export` prints between resources, the cluster's own information, and
 * the state of IPAM.
 */
const SECTION = /^===\r?$/m;

/**
 * Returns the documents of a dump: JSON, or YAML documents, or sections of either. It splits lists, and does not
 * interpret the documents. Errors: a text that is neither JSON nor YAML, YAML that nests too deeply or expands too
 * much, and an incomplete list.
 */
function documentsOf(file: string, text: string): unknown[] {
  return text
    .split(SECTION)
    .filter((section) => section.trim() !== "")
    .flatMap((section) => parsed(file, section))
    .flatMap((document) => itemsOf(file, document));
}

/** Parses JSON as JSON. It is valid YAML too, but parses a hundred times as fast as JSON. */
function parsed(file: string, text: string): unknown[] {
  if (!/^\s*[{[]/.test(text)) return parsedYaml(file, text);
  try {
    return [parseJson(text)];
  } catch (error) {
    if (error instanceof RepeatedFieldError) throw repeatedIn(file, error);
    return parsedYaml(file, text, (error as Error).message);
  }
}

/** Parses YAML. @param problem the error to report of a text that is meant as JSON; by default that of its YAML */
function parsedYaml(file: string, text: string, problem?: string): unknown[] {
  // Does not check that keys are unique, which would cost the square of their number.
  const composer = new Composer({ uniqueKeys: false, logLevel: "silent" });
  const parser = new Parser();
  const values: unknown[] = [];
  try {
    // The lexer keeps its own stack, so the depth cannot overflow that of the process.
    for (const lexeme of new Lexer().lex(text)) {
      for (const token of parser.next(lexeme))
        for (const document of composer.next(token)) values.push(contentOf(document));
      if (parser.stack.length > LEVELS_MAX)
        throw new Error(`it is nested more than ${LEVELS_MAX} levels deep`);
    }
    for (const token of parser.end())
      for (const document of composer.next(token)) values.push(contentOf(document));
    for (const document of composer.end()) values.push(contentOf(document));
  } catch (error) {
    if (error instanceof ReferenceError)
      throw usageError(
        `${file} has an alias of YAML, such as *name, which no dump has: write out what it stands for.`,
      );
    const { message } = error as Error;
    throw usageError(`${file} is neither JSON nor YAML: ${problem ?? message.split("\n", 1)[0]}`);
  }
  // Leaves out empty documents between two separators.
  return values.filter((value) => value !== null);
}

/**
 * Returns the value of a document. It does not follow aliases, because a few lines of them can expand to gigabytes, and
 * no dump has any.
 */
function contentOf(document: {
  readonly errors: readonly Error[];
  toJS(options: { maxAliasCount: number }): unknown;
}): unknown {
  const [error] = document.errors;
  if (error) throw error;
  return document.toJS({ maxAliasCount: 0 });
}

/** Returns the items of a `List`, or of an `IPPoolList`, whose items need not repeat their kind. */
function itemsOf(file: string, document: unknown): unknown[] {
  if (!isRecord(document) || !Array.isArray(document.items)) return [document];
  const { kind, apiVersion, items, metadata } = document;
  // In YAML the kind comes after the items, so a missing kind means that the end of the items is missing too.
  if (typeof kind !== "string")
    throw usageError(`${file} has items and no kind, such as List: it is cut off, or no dump.`);
  if (isRecord(metadata) && metadata.continue)
    throw usageError(
      `${file} is one page of a list: its metadata.continue says that more follow. All of it is needed, as \`kubectl get\` prints it.`,
    );
  const kindOfItems =
    typeof kind === "string" && kind !== "List" && kind.endsWith("List")
      ? { apiVersion, kind: kind.slice(0, -"List".length) }
      : {};
  return items.map((item) => (isRecord(item) ? { ...kindOfItems, ...item } : item));
}
