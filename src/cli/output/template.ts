import { query } from "jsonpath-rfc9535";
import { usageError } from "../shell/exit.ts";

/** Returns the text of a document. */
export type Template = (document: unknown) => string;

/** A part in braces, whose quoted strings can contain braces; or the text between two such parts. */
const PARTS = /\{((?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^{}"'])*)\}|([^{}]+)|([{}])/g;
const LITERAL = /^"((?:[^"\\]|\\.)*)"$|^'((?:[^'\\]|\\.)*)'$/;

type Part =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "path" | "range"; readonly path: string }
  | { readonly kind: "end" };

/**
 * Parses a template of `kubectl -o jsonpath`: text, and in braces paths, quoted strings, and `range PATH` up to `end`.
 * A template without braces is one path. It joins the values of a path by blanks; a path without values prints nothing.
 *
 * @throws CommandError (usage) if the text is no such template
 */
export function parseTemplate(text: string): Template {
  const parts = text.includes("{") ? partsOf(text) : [{ kind: "path", path: text } as const];
  const { templates, rest } = readUntilEnd(text, parts);
  if (rest) throw notTemplate(text, "{end} comes without {range PATH}");
  return (document) => {
    const printed = templates.map((print) => print(document)).join("");
    return printed.endsWith("\n") ? printed : `${printed}\n`;
  };
}

function partsOf(text: string): readonly Part[] {
  return [...text.matchAll(PARTS)].map(([, inBraces, between, brace]): Part => {
    if (brace !== undefined) throw notTemplate(text, `a ${brace} has no counterpart`);
    if (inBraces === undefined) return { kind: "text", text: between ?? "" };
    const inner = inBraces.trim();
    const [literal, double, single] = LITERAL.exec(inner) ?? [];
    if (literal !== undefined) return { kind: "text", text: unescaped(double ?? single ?? "") };
    if (inner === "end") return { kind: "end" };
    const [, range] = /^range\s+(.+)$/s.exec(inner) ?? [];
    return range === undefined ? { kind: "path", path: inner } : { kind: "range", path: range };
  });
}

/** Reads parts up to their `end`, and returns the parts after it; `undefined` if there is no `end`. */
function readUntilEnd(
  text: string,
  parts: readonly Part[],
): { readonly templates: readonly Template[]; readonly rest: readonly Part[] | undefined } {
  const templates: Template[] = [];
  for (let left = parts; ; ) {
    const [part, ...after] = left;
    if (!part) return { templates, rest: undefined };
    if (part.kind === "end") return { templates, rest: after };
    left = after;
    if (part.kind === "text") templates.push(() => part.text);
    else {
      const lookup = lookupOf(text, part.path);
      if (part.kind === "path")
        templates.push((document) => lookup(document).map(valueText).join(" "));
      else {
        const { templates: body, rest } = readUntilEnd(text, after);
        if (!rest) throw notTemplate(text, `{range ${part.path}} has no {end}`);
        templates.push((document) =>
          lookup(document)
            .flatMap((value) => body.map((print) => print(value)))
            .join(""),
        );
        left = rest;
      }
    }
  }
}

function lookupOf(text: string, path: string) {
  try {
    return parsePath(path);
  } catch (error) {
    throw notTemplate(text, (error as Error).message);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
const unescaped = (text: string) =>
  text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);

const notTemplate = (text: string, problem: string) =>
  usageError(
    `-o jsonpath has "${text}"; it must be a path such as {.cidr}, or text and paths such as {range .pools[*]}{.name}{"\\n"}{end} (${problem}).`,
  );

/** Returns the values that a path selects from a document. */
type Lookup = (document: unknown) => readonly unknown[];

/**
 * Parses a path as in kubectl: `.a.b`, `a.b`, `$.a.b`, `@.a.b` or `[0].a`, followed by any RFC 9535 path.
 *
 * @throws Error if the text is no path; the message says why
 */
export function parsePath(text: string): Lookup {
  const rest = text.trim().replace(/^[$@]/, "");
  const path = `$${rest === "" || /^[.[]/.test(rest) ? "" : "."}${rest}`;
  query({}, path);
  return (document) => query(document as Parameters<typeof query>[0], path);
}

/** Returns a string as it is, and any other value as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
