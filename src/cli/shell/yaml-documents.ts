import { parseAllDocuments } from "yaml";

/**
 * Parses the documents of a YAML text, without empty ones between two separators.
 *
 * @param errorOf makes the error to throw if the text is not YAML, or has an alias without an anchor
 */
export function yamlDocuments(
  text: string,
  errorOf: (problem: string) => Error,
): readonly unknown[] {
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error) throw errorOf(error.message);
  try {
    return documents.map((document) => document.toJS()).filter((value) => value !== null);
  } catch (error) {
    throw errorOf((error as Error).message);
  }
}
