import * as v from "valibot";
import { JSON_LEVELS_MAX } from "../../base/limits.ts";
import { type FieldProblem, invalid, invalidAll } from "./problem.ts";

/**
 * Makes an object schema with these fields and no others. Unlike valibot's own it names every unknown field, rejects an
 * array, and knows only own properties, so that `constructor` is unknown too.
 */
export function fields<Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries).join(", ");
  const schema = v.strictObject(entries, "is required");
  const inner = v.object(entries, "is required");
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const input = dataset.value;
      if (!isRecord(input)) {
        v._addIssue(schema, "type", dataset, config, { message: "must be an object" } as never);
        return dataset;
      }
      const checked = inner["~run"](dataset, config);
      for (const key of Object.keys(input)) {
        if (Object.hasOwn(entries, key)) continue;
        v._addIssue(schema, "key", checked, config, {
          input: input[key],
          path: [{ type: "object", origin: "key", input, key, value: input[key] }],
          message: `is not a field here; known are ${known}`,
        } as never);
      }
      return checked;
    },
  } as typeof schema;
}

/**
 * Makes an array schema with bounds for its length. It checks the length before the items: a body has room for half a
 * million wrong ones, and its sender gets one message.
 */
export function list<Item extends v.GenericSchema>(
  item: Item,
  { min = 0, max }: { readonly min?: number; readonly max: number },
  messages: { readonly type: string; readonly min?: string; readonly max: string },
) {
  const length = v.pipe(v.array(v.unknown()), v.maxLength(max, messages.max));
  const schema = v.pipe(
    v.array(item, messages.type),
    v.minLength(min, messages.min),
    v.maxLength(max, messages.max),
  );
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const { value } = dataset;
      const tooLong = Array.isArray(value) && value.length > max;
      return (tooLong ? length : schema)["~run"](dataset, config);
    },
  } as typeof schema;
}

/** Makes a rule over several fields of an object. It runs only if each field is valid on its own. */
export function rule<T extends object>(problems: (value: T) => readonly FieldProblem[]) {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value as Record<string, unknown>;
    for (const { field, value, problem } of problems(dataset.value))
      addIssue({
        input: value,
        message: problem,
        path: [{ type: "object", origin: "value", input, key: field, value }],
      });
  });
}

/** Returns the demand of a schema that has no words of its own, which are for what people read from files. */
const demanded = ({ expected }: v.BaseIssue<unknown>): string => `must be of type ${expected}`;

/**
 * Parses a value with a schema.
 *
 * @param whole the name of the value itself in an error
 * @throws {Problem} with all its errors
 */
export function checked<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  whole = "body",
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true, message: demanded });
  if (result.success) return result.output;
  throw invalidAll(result.issues.map((issue) => fieldProblem(issue, value, whole)));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws a problem if a value that a caller sent nests more than `JSON_LEVELS_MAX` levels. */
export function rejectDeep(field: string, value: unknown): void {
  if (isDeep(value, JSON_LEVELS_MAX))
    throw invalid({ field, problem: `is nested more than ${JSON_LEVELS_MAX} levels deep` });
}

function isDeep(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeep(inner, levels - 1));
}

const TEXT_CHARACTERS_MAX = 80;

/** Shortens a received value for the answer. */
export function shortened(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (typeof value === "string") return cut(value);
  if (typeof value !== "object" || value === null) return value;
  // Only its beginning is wanted, and a deep one would overflow the stack of JSON.stringify.
  return Array.isArray(value)
    ? `an array of ${value.length}`
    : cut(`an object of ${Object.keys(value)}`);
}

function fieldProblem(
  { kind, path, input, message }: v.BaseIssue<unknown>,
  received: unknown,
  whole: string,
): FieldProblem {
  const keys = path?.map(({ key }) => key) ?? [];
  const field = path ? pathText(keys) : whole;
  // A schema demands a kind of value in its message; of a rule, the message is about what else there is.
  if (input === undefined) return { field, problem: kind === "schema" ? "is required" : message };
  // The input of a rule can be what a schema made of the value. An entry of a text is in no received object.
  const isKey = path?.at(-1)?.origin === "key";
  const value = isKey ? input : (placedAt(received, keys) ?? input);
  return { field, value: shortened(value), problem: message };
}

const placedAt = (received: unknown, keys: readonly unknown[]): unknown =>
  keys.reduce((within, key) => {
    const one = Object(within);
    return Object.hasOwn(one, key as string) ? one[key as string] : undefined;
  }, received);

/** Formats a path such as `addresses[2].handle`. */
function pathText(keys: readonly unknown[]): string {
  return keys
    .map((key, i) =>
      typeof key === "number" ? `[${key}]` : `${i > 0 ? "." : ""}${cut(String(key))}`,
    )
    .join("");
}

/** Cuts a text without splitting a Unicode character, which would make the answer unreadable to some clients. */
export function cut(text: string, charactersMax = TEXT_CHARACTERS_MAX): string {
  const start = text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`;
  return start.replace(/\p{Cs}/gu, "\ufffd");
}
