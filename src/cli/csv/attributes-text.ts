import { type Parsed, parsed, unreadable } from "../../domain/parsed.ts";

/**
 * Attributes in one cell: `pod=web-0;namespace=shop`, by name. A backslash before `;`, `=` or a backslash means it as it is; in
 * a value `=` needs none.
 */
export function attributesText(attributes: Readonly<Record<string, string>>): string {
  const escaped = (text: string, what: RegExp) => text.replaceAll(what, "\\$&");
  return Object.entries(attributes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escaped(name, /[\\;=]/g)}=${escaped(value, /[\\;]/g)}`)
    .join(";");
}

/** Inverse of `attributesText`. */
export function parseAttributes(text: string): Parsed<Readonly<Record<string, string>>> {
  const entries: [string, string][] = [];
  // Each entry with its escapes: what is not a semicolon, or is escaped.
  for (const entry of text.match(/(?:\\.|[^;\\])+/gs) ?? []) {
    const [, name, value] = /^((?:\\.|[^=\\])+)=(.*)$/s.exec(entry) ?? [];
    if (name === undefined || value === undefined)
      return unreadable(`has "${entry}", which is not name=value`);
    const key = plain(name.trim());
    if (entries.some(([before]) => before === key)) return unreadable(`names ${key} twice`);
    entries.push([key, plain(value)]);
  }
  return parsed(Object.fromEntries(entries));
}

const plain = (text: string) => text.replaceAll(/\\(.)/gs, "$1");
