import { same } from "../base/same.ts";

type Value = string | boolean | number;

/**
 * A statement about values by their names. The controller judges it by the values that it has, and a chart leaves it to
 * Helm, whose user has them.
 */
export type Condition<Name extends string = string> =
  | { readonly value: Name; readonly is: Value }
  | { readonly not: Condition<Name> }
  | { readonly all: readonly Condition<Name>[] }
  | { readonly any: readonly Condition<Name>[] };

export const is = <Name extends string>(value: Name, expected: Value): Condition<Name> => ({
  value,
  is: expected,
});
export const not = <Name extends string>(condition: Condition<Name>): Condition<Name> => ({
  not: condition,
});
export const allOf = <Name extends string>(
  ...conditions: readonly Condition<Name>[]
): Condition<Name> => ({ all: conditions });

/** Returns the condition that one of some others holds. It is itself the only one of them. */
export function anyOf<Name extends string>(
  conditions: readonly Condition<Name>[],
): Condition<Name> {
  const different = [...new Map(conditions.map((each) => [JSON.stringify(each), each])).values()];
  const [first, ...others] = different;
  if (different.some((each) => same(each, ALWAYS))) return ALWAYS;
  return first && others.length === 0 ? first : { any: different };
}

/** The condition that holds for all values. */
export const ALWAYS = allOf<never>();

/** Returns true if the condition holds for some values. */
export function isTrue<Name extends string>(
  condition: Condition<Name>,
  values: Readonly<Record<Name, Value>>,
): boolean {
  if ("not" in condition) return !isTrue(condition.not, values);
  if ("all" in condition) return condition.all.every((each) => isTrue(each, values));
  if ("any" in condition) return condition.any.some((each) => isTrue(each, values));
  return values[condition.value] === condition.is;
}

/**
 * Returns the condition as a pipeline of Helm's templates.
 *
 * @param place returns where a template finds a value, such as `.Values.region`
 */
export function pipelineOf<Name extends string>(
  condition: Condition<Name>,
  place: (name: Name) => string,
): string {
  const joined = (word: string, of: readonly Condition<Name>[]) =>
    `${word} ${of.map((each) => `(${pipelineOf(each, place)})`).join(" ")}`;
  if ("not" in condition) return joined("not", [condition.not]);
  if ("all" in condition) return joined("and", condition.all);
  if ("any" in condition) return joined("or", condition.any);
  const where = place(condition.value);
  if (condition.is === true) return where;
  return condition.is === false ? `not ${where}` : `eq ${where} ${JSON.stringify(condition.is)}`;
}
