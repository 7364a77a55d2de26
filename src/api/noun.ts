import type * as v from "valibot";

/*
 * The declaration of a noun's fields: each field once for requests, with its words and its option of the command, and once
 * for answers. A field that the domain knows and a declaration lacks is a type error, and so is one of another type.
 */

/** The option of `create` that sets a field. It has the name of the field, unless it says another. */
export interface Flag {
  /** The name of an option that is given once for each entry of its field. */
  readonly name?: string;
  /** The placeholder of its value; absent: a switch. */
  readonly value?: string;
  readonly help: string;
  /** The form of its value, or the values it can have; absent: a text as it is. */
  readonly as?:
    | "count"
    | "countOrNone"
    | "flag"
    | "texts"
    | "textsOrNone"
    | "keyValue"
    | "routes"
    | readonly string[];
  readonly required?: true;
}

interface Said {
  readonly read: v.GenericSchema;
  /**
   * Its description for the OpenAPI document, which other nouns with a field of this name may share, or which is its own; absent: that
   * of another noun.
   */
  readonly words?:
    | string
    | { readonly own: string }
    | { readonly request: string; readonly answer: string };
  readonly flag?: Flag;
}

/** A value whose absent fields may also be undefined, and whose lists are read-only, as schemas have them. */
type Loose<T> = T extends readonly (infer Each)[]
  ? readonly Loose<Each>[]
  : T extends object
    ? {
        readonly [Name in keyof T]:
          | Loose<T[Name]>
          | (object extends Pick<T, Name> ? undefined : never);
      }
    : T;

type OrAbsent<T, Name extends keyof T> =
  object extends Pick<T, Name> ? T[Name] | undefined : T[Name];

/** The fields that a value may lack, and those that every form of a request says. */
type AlwaysSaid<Spec, Input> = {
  [Name in keyof Spec]-?: object extends Pick<Spec, Name>
    ? Name
    : Name extends keyof Input
      ? undefined extends Input[Name]
        ? never
        : Name
      : never;
}[keyof Spec];

/**
 * The fields of a request by their names: one for each field of what the request says, with a schema whose output is the
 * value, or with a function that makes the value of it. A field of the request alone is a `part` of another one's value.
 */
export type RequestFields<Spec, Input> = {
  readonly [Name in keyof Spec]-?: Said &
    (
      | (Name extends AlwaysSaid<Spec, Input>
          ? { readonly read: v.GenericSchema<unknown, OrAbsent<Spec, Name>>; readonly keep?: never }
          : never)
      | { keep(said: never, all: Input): OrAbsent<Spec, Name> }
    );
} & {
  readonly [Name in Exclude<keyof Input, keyof Spec>]-?: Said & ReturnType<typeof part>;
};

/**
 * Makes the part of a field whose value is made of what a request says, and of its other fields. A form of the request that has
 * no such field says nothing, whatever the default of the schema is.
 */
export const kept = <Schema extends v.GenericSchema, Input, Value>(
  read: Schema,
  keep: (said: v.InferOutput<Schema> | undefined, all: Input) => Value,
) => ({ read, keep });

/** Makes a field of a request that the value has as a part of another field, whose `kept` reads both. */
export const part = <Schema extends v.GenericSchema>(read: Schema) => ({
  read,
  keep: (): undefined => undefined,
});

/** The schemas of declared fields. */
export type Reads<Declared extends Readonly<Record<string, Said>>> = {
  readonly [Name in keyof Declared]: Declared[Name]["read"];
};

export const readsOf = <Declared extends Readonly<Record<string, Said>>>(
  declared: Declared,
): Reads<Declared> => mapped(declared, ({ read }) => read) as Reads<Declared>;

/** The declared fields that a form of a request says, after each of them is valid on its own. It may lack any. */
export type Inputs<Declared extends Readonly<Record<string, Said>>> = {
  readonly [Name in keyof Declared]?: v.InferOutput<Declared[Name]["read"]> | undefined;
};

/** Returns the value that a request says: its fields, and those that follow from others. */
export function specOf<Spec, Input extends object>(
  declared: RequestFields<Spec, Input>,
  input: Input,
): Spec {
  const entries = Object.entries<{ keep?(said: unknown, all: Input): unknown }>(declared);
  return defined(
    entries.map(([name, { keep }]) => {
      const said: unknown = input[name as keyof Input];
      return [name, keep ? keep(said, input) : said];
    }),
  ) as Spec;
}

/** A field of an answer: its schema, and its value there; nothing if the answer has no such field. */
export interface AnswerField<Whole> {
  readonly schema: v.GenericSchema;
  of(whole: Whole): unknown;
}

/** Makes the fields of answers about a value, each of the type that its schema has. */
export const telling =
  <Whole>() =>
  <Schema extends v.GenericSchema>(
    schema: Schema,
    of: (whole: Whole) => Loose<v.InferInput<Schema>>,
  ) => ({ schema, of });

/** The entries of an object schema. */
export type Schemas<Declared extends Readonly<Record<string, Pick<AnswerField<never>, "schema">>>> =
  {
    readonly [Name in keyof Declared]: Declared[Name]["schema"];
  };

export const schemasOf = <
  Declared extends Readonly<Record<string, Pick<AnswerField<never>, "schema">>>,
>(
  declared: Declared,
): Schemas<Declared> => mapped(declared, ({ schema }) => schema) as Schemas<Declared>;

/** The part of an answer that declared fields make. */
export type Answered<
  Declared extends Readonly<Record<string, Pick<AnswerField<never>, "schema">>>,
> = Loose<v.InferInput<v.StrictObjectSchema<Schemas<Declared>, undefined>>>;

/** Returns the fields of an answer about a value. */
export const told = <Whole, Declared extends Readonly<Record<string, AnswerField<Whole>>>>(
  declared: Declared,
  whole: Whole,
): Answered<Declared> =>
  defined(
    Object.entries(declared).map(([name, { of }]) => [name, of(whole)]),
  ) as Answered<Declared>;

/**
 * Returns the descriptions of declared fields, by the name of the field, or by `Component.field` for those of the noun alone.
 *
 * @param component the name of the schema of an answer; that of the request has `Request` behind it, and that of a write `Written`
 */
export const wordsOf = (
  component: string,
  declared: Readonly<Record<string, Said>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(declared).flatMap(([name, { words }]) => {
      if (words === undefined) return [];
      if (typeof words === "string") return [[name, words]];
      const { request, answer } =
        "own" in words ? { request: words.own, answer: words.own } : words;
      return [
        [`${component}Request.${name}`, request],
        [`${component}.${name}`, answer],
        [`${component}Written.${name}`, answer],
      ];
    }),
  );

const mapped = <T>(declared: Readonly<Record<string, T>>, of: (field: T) => unknown): object =>
  Object.fromEntries(Object.entries(declared).map(([name, field]) => [name, of(field)]));

const defined = (entries: readonly (readonly [string, unknown])[]): object =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined));
