import { type Command, InvalidArgumentError, Option } from "commander";
import type { Flag } from "../../api/noun.ts";
import { count, flag, keyValue, texts } from "./options.ts";

/** The declared fields of a noun, as far as options need them. */
export type DeclaredFields = Readonly<
  Record<string, { readonly read: unknown; readonly flag?: Flag }>
>;

/** The text for no maximum, and for no names. */
const NONE = "none";

/** Adds an option for each declared field that has one. */
export function withFields(command: Command, declared: DeclaredFields): Command {
  for (const [field, { flag }] of Object.entries(declared))
    if (flag) command.addOption(optionOf(field, flag));
  return command;
}

/** Returns the body that the options of declared fields make. */
export const fieldsIn = (declared: DeclaredFields, options: object): object =>
  Object.fromEntries(
    Object.entries(declared).flatMap(([field, { flag }]) => {
      if (!flag) return [];
      const value = options[(flag.name ?? field) as keyof typeof options];
      if (value === undefined) return [];
      return [[field, flag.as === "countOrNone" && value === NONE ? null : value]];
    }),
  );

function optionOf(field: string, { name = field, value, help, as, required }: Flag): Option {
  const long = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const option = new Option(value === undefined ? long : `${long} ${value}`, help);
  if (required) option.makeOptionMandatory();
  if (typeof as === "string") return option.argParser<unknown>(PARSERS[as]);
  return as ? option.choices(as) : option;
}

interface RouteOption {
  readonly dst: string;
  readonly gw: string;
}

/** Parses `dst=10.0.0.0/8,gw=10.9.0.1`, repeated for each route. The API judges the addresses. */
function routes(text: string, before: readonly RouteOption[] = []): readonly RouteOption[] {
  const [, dst, gw] = /^dst=([^,=]+),gw=([^,=]+)$/.exec(text) ?? [];
  if (dst === undefined || gw === undefined)
    throw new InvalidArgumentError("It must be dst=CIDR,gw=ADDRESS.");
  return [...before, { dst, gw }];
}

/** Commander takes `null` for an option without a value, so the text stays until `fieldsIn`. */
const countOrNone = (text: string): number | string => (text === NONE ? text : count(text));
const textsOrNone = (text: string, before?: readonly string[]): readonly string[] =>
  text === NONE ? [] : texts(text, before);

/** Each also takes the value of the same option before, and adds to it. */
const PARSERS: Readonly<Record<Extract<Flag["as"], string>, (text: string) => unknown>> = {
  count,
  countOrNone,
  flag,
  texts,
  textsOrNone,
  keyValue,
  routes,
};
