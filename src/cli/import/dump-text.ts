import { Composer, Lexer, Parser } from "yaml";
import { isRecord } from "../../api/schema/schema.ts";
import { usageError } from "../shell/exit.ts";

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
export function documentsOf(file: string, text: string): unknown[] {
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
    return [JSON.parse(text)];
  } catch {
    return parsedYaml(file, text);
  }
}

function parsedYaml(file: string, text: string): unknown[] {
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
    const { message } = error as Error;
    throw usageError(`${file} is neither JSON nor YAML: ${message.split("\n", 1)[0]}`);
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
