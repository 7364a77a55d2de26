import { type Parsed, parsed, unreadable } from "../../net/address.ts";

/**
 * Formats attributes as one cell of the table, in the order of names: `pod=web-0;namespace=shop`. A backslash escapes
 * `;`, `=`, a backslash, or a blank around a name; in a value, `=` and blanks need no escape.
 */
export function attributesText(attributes: Readonly<Record<string, string>>): string {
  const escaped = (text: string, what: RegExp) => text.replaceAll(what, "\\$&");
  return Object.entries(attributes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escaped(name, /[\\;=]|^\s|\s$/g)}=${escaped(value, /[\\;]/g)}`)
    .join(";");
}

/** Parses attributes. Inverse of `attributesText`. */
export function parseAttributes(text: string): Parsed<Readonly<Record<string, string>>> {
  if (endsInBackslash(text))
    return unreadable(
      "ends with a backslash, which stands before what it means as it is; \\\\ means one",
    );
  const entries: [string, string][] = [];
  // Each entry with its escapes: the text up to an unescaped semicolon.
  for (const entry of text.match(/(?:\\.|[^;\\])+/gs) ?? []) {
    const [, name = "", value = ""] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(entry) ?? [];
    const key = plain(trimmed(name));
    if (key === "") return unreadable(`has "${entry}", which is not name=value`);
    if (entries.some(([before]) => before === key)) return unreadable(`names ${key} twice`);
    entries.push([key, plain(value)]);
  }
  return parsed(Object.fromEntries(entries));
}

/** Removes the blanks without a backslash around a name. */
function trimmed(name: string): string {
  const begun = name.trimStart();
  const text = begun.trimEnd();
  return endsInBackslash(text) ? begun.slice(0, text.length + 1) : text;
}

const endsInBackslash = (text: string) => /^(?:\\.|[^\\])*\\$/s.test(text);

const plain = (text: string) => text.replaceAll(/\\(.)/gs, "$1");
