import { parseAllDocuments } from "yaml";
import { bodyText, EMPTY, isJson, mediaType, parseJson, unsupported } from "./body.ts";
import type { Event } from "./http.ts";
import { invalid, Problem } from "./problem.ts";

/** A manifest has a page or two; reading YAML costs far more than reading JSON. */
const YAML_BYTES_MAX = 100_000;
/** Anchors that are repeated: a few lines of them can stand for gigabytes. */
const YAML_ALIASES_MAX = 100;

const YAML_TYPE = /^(application\/(x-)?yaml|text\/(x-)?yaml)$/;

/** The value that a JSON or YAML body stands for. */
export function readJsonOrYaml(event: Event): { readonly value: unknown } | Problem {
  const type = mediaType(event);
  if (isJson(type)) return parseJson(event);
  return YAML_TYPE.test(type)
    ? parseYaml(event)
    : unsupported(type, "application/json or application/yaml");
}

function parseYaml(event: Event): { readonly value: unknown } | Problem {
  const text = bodyText(event, YAML_BYTES_MAX);
  if (text instanceof Problem) return text;
  try {
    const documents = parseAllDocuments(text, { logLevel: "silent" });
    const [document, ...more] = Array.isArray(documents) ? documents : [];
    if (!document) return EMPTY;
    if (more.length > 0)
      return invalid({
        field: "body",
        problem: `has ${1 + more.length} YAML documents; send one of them`,
      });
    const [error] = document.errors;
    if (error) throw error;
    return { value: document.toJS({ maxAliasCount: YAML_ALIASES_MAX }) };
  } catch (error) {
    return invalid({
      field: "body",
      problem: `is not YAML: ${firstLine((error as Error).message)}`,
    });
  }
}

const firstLine = (text: string) => text.split("\n", 1)[0];
