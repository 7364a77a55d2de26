import { parseAllDocuments } from "yaml";

/**
 * The documents of a YAML text. What stands between two separators and says nothing is none.
 *
 * @param refused what to throw where the text is not YAML, or has an alias of what it does not have
 */
export function yamlDocuments(
  text: string,
  refused: (problem: string) => Error,
): readonly unknown[] {
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) throw refused(error.message);
  try {
    return documents.map((document) => document.toJS()).filter((value) => value !== null);
  } catch (error) {
    throw refused((error as Error).message);
  }
}
