import { Lexer, Parser, parseAllDocuments } from "yaml";
import { MANIFESTS_PER_BODY_MAX } from "../../base/limits.ts";
import { POOL_KINDS } from "../../nouns/pool/network.ts";
import type { ManifestKind } from "../manifest.ts";
import type { NamePart } from "../names.ts";
import { invalid, Problem } from "../schema/problem.ts";
import { cut, isRecord, shortened } from "../schema/schema.ts";
import { bodyText, EMPTY, isJson, jsonBody, mediaType, unsupported } from "./body.ts";
import type { Event } from "./event.ts";
import { rejectSpaceInBody } from "./parameters.ts";

/** The manifest of a body that is used, and those that are not. */
export interface ChosenManifest {
  readonly document: unknown;
  /** The other manifests, each by its kind and name. None of them is applied. */
  readonly ignored: readonly string[];
}

/** The kinds of manifests to choose from, and the name in the URL that selects one. */
export interface ManifestsWanted {
  readonly kinds: readonly ManifestKind[];
  readonly of: NamePart;
}

const NAMES_TOLD_MAX = 10;

/**
 * Chooses the document of a PUT. That is the only document, or among manifests (as files and `kubectl` have them) the
 * one of a wanted kind with the name of the URL. It must occur exactly once. No document may name a space.
 */
export function chooseManifest(
  event: Event,
  { documents }: Documents,
  wanted: ManifestsWanted,
): ChosenManifest {
  const items = itemsOf(documents);
  for (const one of [...documents, ...items]) rejectSpaceInBody(event, one);
  const [document] = items;
  if (items.length === 1) return { document, ignored: [] };
  if (items.length > MANIFESTS_PER_BODY_MAX)
    throw invalid({
      field: "body",
      problem: `has ${items.length} manifests and may have ${MANIFESTS_PER_BODY_MAX}`,
    });
  if (!items.some(isManifest))
    throw invalid({
      field: "body",
      problem: `has ${items.length} documents; send one of them`,
    });
  const name = event.pathParameters?.[wanted.of.part] ?? "";
  const ofKind = items.filter((item) => isOfKind(item, wanted));
  const meant = ofKind.filter((item) => nameInManifest(item) === name);
  if (meant.length !== 1) throw notOnce(items, ofKind, meant, wanted, name);
  return {
    document: meant[0],
    ignored: items.filter((item) => item !== meant[0]).map(titleOf),
  };
}

/**
 * Returns true for a manifest. Plat's own JSON has no `apiVersion`, and of a `kind` only that of a pool: one of
 * `POOL_KINDS`, or a wrong one beside a `cidr`.
 */
export function isManifest(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || Object.hasOwn(value, "apiVersion")) return isRecord(value);
  const { kind } = value;
  const isOfPool = POOL_KINDS.some((one) => one === kind) || Object.hasOwn(value, "cidr");
  return Object.hasOwn(value, "kind") && !isOfPool;
}

/** Returns the documents of a body, and the items of a list. `kubectl get` puts even a single one into a list. */
function itemsOf(documents: readonly unknown[]): readonly unknown[] {
  const items = documents.flatMap((document) => {
    if (!isManifest(document) || !isList(document)) return [document];
    if (Array.isArray(document.items)) return document.items as readonly unknown[];
    throw noArray(document.items);
  });
  if (items.length === 0) throw invalid({ field: "items", problem: "has none" });
  return items;
}

const noArray = (items: unknown): Problem =>
  invalid(
    items === undefined
      ? { field: "items", problem: "is required, an array of manifests" }
      : { field: "items", value: shortened(items), problem: "must be an array of manifests" },
  );

/** Returns true for `List`, and for a kind's own list such as `IPPoolList`. */
export const isList = (document: Record<string, unknown>): boolean =>
  document.kind === "List" ||
  (typeof document.kind === "string" &&
    document.kind.endsWith("List") &&
    Object.hasOwn(document, "items"));

function isOfKind(item: unknown, { kinds }: ManifestsWanted): boolean {
  return (
    isManifest(item) &&
    kinds.some(
      ({ kind, apiVersions }) =>
        item.kind === kind && apiVersions.some((one) => one === item.apiVersion),
    )
  );
}

/** Returns the name in a manifest, if it has one. */
export function nameInManifest(item: unknown): unknown {
  return isRecord(item) && isRecord(item.metadata) ? item.metadata.name : undefined;
}

/** Returns a title such as `IPPool default-ipv4-ippool`. */
export function titleOf(item: unknown): string {
  const kind = isRecord(item) && typeof item.kind === "string" ? cut(item.kind) : "something";
  const name = nameInManifest(item);
  return `${kind} ${typeof name === "string" ? cut(name) : "without a name"}`;
}

function notOnce(
  items: readonly unknown[],
  ofKind: readonly unknown[],
  meant: readonly unknown[],
  { kinds, of }: ManifestsWanted,
  name: string,
): Problem {
  const value = cut(name);
  const kind = kinds.map((one) => one.kind).join(" or ");
  if (meant.length > 1)
    return invalid({
      field: "metadata.name",
      value,
      problem: `is that of ${meant.length} ${kinds.map((one) => `${one.kind}s`).join(" or ")} of the body; send the one that is meant`,
    });
  const found = `the body has ${told(ofKind.length > 0 ? ofKind : items)}`;
  if (ofKind.length === 0)
    return invalid({
      field: "kind",
      value: told(items),
      problem: `must be ${kinds.map(withVersions).join(" or ")} in one of the manifests; ${found}`,
    });
  const problem = `must be the URL's {${of.part}}, ${value}, in one ${kind}; ${found}`;
  return new Problem("name_mismatch", `metadata.name ${problem}.`, {
    fields: [{ field: "metadata.name", value, problem }],
  });
}

const withVersions = ({ kind, apiVersions }: ManifestKind): string =>
  `${kind} of ${apiVersions.join(" or ")}`;

function told(items: readonly unknown[]): string {
  const more = items.length - NAMES_TOLD_MAX;
  const names = items.slice(0, NAMES_TOLD_MAX).map(titleOf);
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

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
interface Documents {
  readonly documents: readonly [unknown, ...unknown[]];
}

/** Returns the values of a JSON or YAML body. */
export function parseDocuments(event: Event): Documents {
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
