import type { ComponentChildren } from "preact";
import type { Change } from "../api/api.ts";

/** A field of a dialog. Its value is a text, whatever its kind. */
export interface Field {
  readonly name: string;
  readonly label: string;
  /** `lines` is a text of one value a line; `flag` is `true` or empty. */
  readonly kind: "text" | "lines" | "number" | "choice" | "flag";
  readonly initial?: string | undefined;
  readonly choices?: readonly string[];
  readonly hint?: string;
  readonly isRequired?: boolean;
  /** True for a field that few need: it is below a line that opens. */
  readonly isFolded?: boolean;
}

/** The values of the fields by name. */
export type Input = Readonly<Record<string, string>>;

/** The same act in a shell: the words after `plat`, and the request. */
export interface InShell {
  readonly plat?: readonly string[];
  readonly request: Change;
}

/** Something that a user can do. Its dialog asks, shows what it would do, does it, and says what was done. */
export interface Act {
  /** The text of the button that opens the dialog. */
  readonly label: string;
  /** True for what makes something new, which most people come to the page for: its button stands out. */
  readonly isMain?: boolean;
  readonly title: string;
  /** The text of the button that does it. */
  readonly verb: string;
  /** A sentence about what it does, and what it leaves. */
  readonly intro: ComponentChildren;
  readonly fields?: readonly Field[];
  /** The name to type, for what cannot be undone. */
  readonly typed?: string;
  /** Reads what it would do, from a dry run. It throws a `Rejection` or an `InvalidInput`. */
  preview?(input: Input): Promise<ComponentChildren>;
  /**
   * Returns the same act in a shell. It throws an `InvalidInput`.
   *
   * @param key the `Idempotency-Key` of the dialog
   */
  inShell?(input: Input, key: string): InShell;
  /**
   * Does it, tells how far it is, and returns what was done. It throws a `Rejection` or an `InvalidInput`.
   *
   * @param key the `Idempotency-Key` of all tries of the dialog: a repeat after a lost answer does nothing else
   */
  perform(input: Input, told: (progress: string) => void, key: string): Promise<ComponentChildren>;
}

/** The acts of a page by the name that its address has for them. */
export type ActsOfPage = Readonly<Record<string, Act>>;

/** An input that no request can be made of, with the field that is wrong. */
export class InvalidInput extends Error {
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** Returns the values of a field of lines. */
export const linesOf = (text = ""): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

type Pairs = readonly (readonly [name: string, value: string])[];

/** Returns the attributes in a field of lines, as pairs. It throws an `InvalidInput`. */
export const attributesIn = (input: Input, field: string): Pairs =>
  pairsIn(input[field], field).map(([name, value]) => [name, value.trim()]);

/** Returns the attributes in the lines of a field, with all spaces of their values. It throws an `InvalidInput`. */
export const pairsIn = (text = "", field?: string): Pairs =>
  text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf("=");
      const name = line.slice(0, Math.max(0, at)).trim();
      if (name === "")
        throw new InvalidInput(`The attribute ${line} is not of the form name=value.`, field);
      return [name, line.slice(at + 1)];
    });

/** Returns the number in a field; nothing if the field is empty. It throws an `InvalidInput`. */
export function wholeIn(input: Input, field: string): number | undefined {
  const text = (input[field] ?? "").trim();
  if (text === "") return undefined;
  if (!/^\d+$/.test(text))
    throw new InvalidInput(
      `${field} must be a whole number, and is ${JSON.stringify(text)}.`,
      field,
    );
  return Number(text);
}

/** Returns the JSON object in a field; nothing if the text is of anything else. */
export function jsonObjectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}

const KEY_BYTES = 16;

/** Returns a new `Idempotency-Key`. The function for UUIDs is missing where the page came without TLS. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
