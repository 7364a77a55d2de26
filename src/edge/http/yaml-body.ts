import { Lexer, Parser, parseAllDocuments } from "yaml";
import { invalid } from "../../contract/schema/problem.ts";
import { cut } from "../../contract/schema/schema.ts";
import { bodyText, EMPTY, isJson, jsonBody, mediaType, unsupported } from "./body.ts";
import type { Event } from "./event.ts";

/**
 * The maximum size. A manifest has a page or two. The time for its keys grows with their square, and 100 KB of them
 * took 16 s.
 */
const YAML_BYTES_MAX = 20_000;
/**
 * The maximum depth. A manifest has six levels, and a text with a hundred times as many can take minutes to read, or
 * overflow the stack.
 */
const YAML_LEVELS_MAX = 32;
/** The maximum of repeated anchors, because a few lines of them can expand to gigabytes. */
const YAML_ALIASES_MAX = 100;

const YAML_TYPE = /^(application\/(x-)?yaml|text\/(x-)?yaml)$/;

/** The documents of a body: one for JSON, one or more for YAML. */
export interface Documents {
  readonly documents: readonly [unknown, ...unknown[]];
}

/** Returns the values of a JSON or YAML body. */
export function readDocuments(event: Event): Documents {
  const type = mediaType(event);
  if (isJson(type)) return { documents: [jsonBody(event)] };
  if (YAML_TYPE.test(type)) return parseYaml(event);
  throw unsupported(type, "application/json or application/yaml");
}

function parseYaml(event: Event): Documents {
  const text = bodyText(event, YAML_BYTES_MAX);
  if (isDeep(text))
    throw invalid({
      field: "body",
      problem: `is nested more than ${YAML_LEVELS_MAX} levels deep`,
    });
  const [first, ...more] = documentsIn(text);
  if (first === undefined) throw EMPTY;
  return { documents: [first, ...more] };
}

/** Returns the documents of a text. Leaves out empty ones between two separators. */
function documentsIn(text: string): readonly unknown[] {
  try {
    const documents = parseAllDocuments(text, { logLevel: "silent" });
    const [error] = documents.flatMap(({ errors }) => errors);
    if (error) throw error;
    return documents
      .map((document) => document.toJS({ maxAliasCount: YAML_ALIASES_MAX }))
      .filter((value) => value !== null);
  } catch (error) {
    throw invalid({
      field: "body",
      problem: `is not YAML: ${cut(firstLine((error as Error).message))}`,
    });
  }
}

/**
 * Returns true if the text nests too deeply. It keeps its own stack, so the depth cannot overflow that of the process.
 */
function isDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > YAML_LEVELS_MAX) return true;
  }
  return false;
}

const firstLine = (text: string) => text.split("\n", 1)[0] ?? "";
