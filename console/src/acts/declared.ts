import type { Flag } from "../../../src/api/noun.ts";
import { type Field, type Input, linesOf, wholeIn } from "./act.ts";

/** The fields of a noun as the API declares them: what a form, a request and an option of `plat` need of each. */
export type Declared = Readonly<
  Record<string, { readonly words: string | { readonly own: string }; readonly flag: Flag }>
>;

/** The values of fields as the API tells them. */
export type Values = Readonly<Record<string, unknown>>;

/** Returns the name of a field in words: `Cooldown seconds`. */
export const titleOf = (name: string): string =>
  name.charAt(0).toUpperCase() +
  name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Returns what a field means. A form has no `null`: an empty field says it. */
export const meaningOf = ({ words, flag }: Declared[string]): string => {
  const text = (typeof words === "string" ? words : words.own).replaceAll("`", "");
  return flag.as === "countOrNone" ? text.replace("null means", "Empty:") : text;
};

/** Returns the value of a field as a text; an empty one where there is none. */
export const valueText = (value: unknown, between: string): string =>
  value === undefined || value === null
    ? ""
    : Array.isArray(value)
      ? value.join(between)
      : String(value);

/** Returns the fields of a dialog for declared fields, with their values. */
export const fieldsOf = (declared: Declared, values: Values = {}): readonly Field[] =>
  Object.entries(declared).map(([name, one]) => {
    const { as } = one.flag;
    const kind =
      as === "flag"
        ? "flag"
        : as === "textsOrNone"
          ? "lines"
          : as === undefined
            ? "text"
            : "number";
    const value = values[name];
    const initial = kind === "flag" && value === false ? "" : valueText(value, "\n");
    return { name, label: titleOf(name), kind, initial, hint: meaningOf(one) };
  });

/** Returns the values in the fields of a dialog. An empty one is absent, or null where the API knows null. */
export const valuesIn = (declared: Declared, input: Input): Values =>
  Object.fromEntries(
    Object.entries(declared).flatMap(([name, { flag }]): [string, unknown][] => {
      const text = (input[name] ?? "").trim();
      if (flag.as === "flag") return [[name, text === "true"]];
      if (flag.as === "textsOrNone") return [[name, linesOf(text)]];
      if (text === "") return flag.as === "countOrNone" ? [[name, null]] : [];
      if (flag.as === undefined) return [[name, text]];
      return [[name, wholeIn(input, name)]];
    }),
  );

/** Returns the options of `plat` that set these values. */
export const optionsFor = (declared: Declared, values: Values): readonly string[] =>
  Object.entries(values).flatMap(([field, value]) => {
    const { name = field } = declared[field]?.flag ?? {};
    const option = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [`--${option}`, valueText(value, ",") || "none"];
  });
