import type { Outcome } from "../base/outcome.ts";
import type { HostId, HostReserved } from "../kernel/values/host.ts";
import { type Address, type Family, formatAddress } from "../net/address.ts";
import { type AddressSet, formatSet } from "../net/address-set.ts";
import { type Cidr, formatCidr } from "../net/cidr.ts";
import type { Labels } from "../net/labels.ts";
import type { PoolSelector } from "../nouns/pool/pool.ts";
import {
  type Attributes,
  addressText,
  cidrText,
  flagOf,
  idOf,
  listOf,
  mapOf,
  numberOf,
  oneOf,
  selectorText,
  setOf,
  setText,
  textOf,
  textsOf,
  trueOf,
} from "./attribute.ts";
import { absent, equals } from "./clause.ts";
import { reading } from "./format.ts";
import type { AttributePath, Item, Key, Value } from "./item.ts";
import type { Table } from "./table.ts";

/** The form of an attribute: the stored value of a field, and back. */
export interface Form<T> {
  readonly isSparse?: never;
  readonly isFlat?: never;
  /** The name of the attribute; absent if it is that of the field. */
  readonly attribute?: string;
  // A property, so that a form of fewer values than the field has is a type error.
  readonly write: (value: T) => Value;
  /** @throws {Error} if the attribute is missing or impossible, because the item is then corrupt */
  readonly read: (attributes: Attributes, name: string) => T;
}

/** The form of a field that some values store as no attribute. */
export interface SparseForm<T> {
  readonly isSparse: true;
  readonly isFlat?: never;
  readonly attribute?: string;
  readonly write: (value: T) => Value | undefined;
  readonly read: (attributes: Attributes, name: string) => T;
}

/** The form of a field that is stored as attributes with names of their own. */
export interface FlatForm<T> {
  readonly isFlat: true;
  readonly write: (value: T) => Attributes;
  readonly read: (attributes: Attributes) => T;
}

/**
 * A form for each field of a value. A field without one, and a form without a field, are type
 * errors.
 */
export type Forms<T> = {
  readonly [Name in keyof T]-?: object extends Pick<T, Name>
    ? SparseForm<T[Name] | undefined> | FlatForm<T[Name] | undefined>
    : Form<T[Name]> | SparseForm<T[Name]> | FlatForm<T[Name]>;
};

const asIs = <T>(read: (attributes: Attributes, name: string) => Value): Form<T> => ({
  write: (value) => value as Value,
  read: (attributes, name) => read(attributes, name) as T,
});

export const text: Form<string> = asIs(textOf);
/** An id, a token, a revision or an epoch. It is never empty. */
export const id: Form<string> = asIs(idOf);
export const number: Form<number> = asIs(numberOf);
export const flag: Form<boolean> = asIs(flagOf);
export const host: Form<HostId> = asIs(idOf);
/** A field that is true or absent. */
export const mark: Form<true> = asIs(trueOf);
export const texts: Form<readonly string[]> = asIs(textsOf);
export const textAmong = <T extends string>(known: readonly T[]): Form<T> =>
  asIs((attributes, name) => oneOf(attributes, name, known));
/** Values of a list, as they are. The check of the whole value knows which are possible. */
export const someOf = <T>(): Form<readonly T[]> => asIs(listOf);
/** A map, as it is. The check of the whole value knows what is possible in it. */
export const map = <T extends object>(): Form<T> => asIs(mapOf);
/** An address family. The check of the whole value finds a number that is none. */
export const family: Form<Family> = asIs(numberOf);

/** A set of texts. It is stored as no attribute while it is empty. */
export const set: SparseForm<ReadonlySet<string>> = {
  isSparse: true,
  write: (texts) => (texts.size > 0 ? texts : undefined),
  read: setOf,
};

/** A value that is stored as another one: the form of that, the way there, and the way back. */
export const via = <T, S>(form: Form<S>, to: (value: T) => S, from: (stored: S) => T): Form<T> => ({
  ...form,
  write: (value) => form.write(to(value)),
  read: (attributes, name) => from(form.read(attributes, name)),
});
export const cidr: Form<Cidr> = via(text, formatCidr, cidrText);
export const address: Form<Address> = via(text, formatAddress, addressText);
export const selector: Form<PoolSelector> = via(text, ({ text }) => text, selectorText);
export const addressSet: Form<AddressSet> = via(texts, formatSet, setText);
/** A text of JSON, because the client decides by the keys of a map how to marshall it. */
export const json = <T extends object>(): Form<T> => via(text, JSON.stringify, JSON.parse);
/**
 * Labels, as sorted texts `key=value`, because neither part of a label has an equals sign. They are
 * no map, because the client decides by a map's keys how to marshall it. It does not take one with
 * the key `constructor` for a map.
 */
export const labels: Form<Labels> = via(
  texts,
  (labels) =>
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .sort(),
  (stored) => Object.fromEntries(stored.map(labelIn)),
);

function labelIn(text: string): readonly [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new Error(`"${text}" is no label`);
  return [key, value];
}

export const list = <T>(form: Form<T>): Form<readonly T[]> => ({
  write: (values) => values.map((value) => form.write(value)),
  read: (attributes, name) =>
    listOf(attributes, name).map((value) => form.read({ [name]: value }, name)),
});

/** A list that is stored as no attribute while it is empty. */
export const sparse = <T>(form: Form<readonly T[]>): SparseForm<readonly T[]> => ({
  ...form,
  isSparse: true,
  write: (values) => (values.length > 0 ? form.write(values) : undefined),
  read: (attributes, name) => (attributes[name] === undefined ? [] : form.read(attributes, name)),
});

/** A field that may be absent. */
export const optional = <T>(form: Form<T>): SparseForm<T | undefined> => ({
  ...form,
  isSparse: true,
  write: (value) => (value === undefined ? undefined : form.write(value)),
  read: (attributes, name) =>
    attributes[name] === undefined ? undefined : form.read(attributes, name),
});

/** A field whose attribute has another name. */
export const under = <F extends { readonly attribute?: string }>(
  attribute: string,
  form: F,
): F => ({ ...form, attribute });

/** The fields of a value as attributes, beside those of other fields. */
interface Flat<T> extends FlatForm<T> {
  /** The names of all attributes but those of flat forms. */
  readonly names: readonly string[];
  /** @param into gets the attributes */
  readonly write: (value: T, into?: Record<string, Value>) => Attributes;
  /** @param into gets the fields */
  readonly read: (attributes: Attributes, into?: object) => T;
  readonly update: Changes<T>["update"];
}

/** Writes of some fields of an item that is changed attribute by attribute. */
interface Changes<T> {
  /**
   * Returns the change that gives an item these fields, and leaves it its others. A field that is
   * named and has no value goes, but for one of a flat form.
   */
  update(fields: { readonly [Name in keyof T]?: T[Name] | undefined }): {
    readonly kind: "update";
    readonly set: readonly (readonly [AttributePath, Value])[];
    readonly remove?: readonly AttributePath[];
  };
}

/** @throws {Error} if two fields have one attribute */
export function flat<T extends object>(forms: Forms<T>): Flat<T> {
  const fields = (Object.entries(forms) as [keyof T & string, AnyForm][]).map(([name, form]) => ({
    name,
    form,
    attribute: form.isFlat ? name : (form.attribute ?? name),
  }));
  const names = fields.flatMap(({ form, attribute }) => (form.isFlat ? [] : attribute));
  const shared = names.find((name, i) => names.indexOf(name) !== i);
  if (shared !== undefined) throw new Error(`two fields have the attribute ${shared}`);
  const write = (value: Partial<T>, into: Record<string, Value> = {}) => {
    for (const { name, form, attribute } of fields) {
      const field = value[name];
      const stored = field === undefined ? undefined : form.write(field);
      if (stored === undefined) continue;
      if (form.isFlat) Object.assign(into, stored);
      else into[attribute] = stored;
    }
    return into;
  };
  return {
    isFlat: true,
    names,
    write,
    update(value) {
      const stored = write(value as Partial<T>);
      const remove = fields.flatMap(({ name, form, attribute }) =>
        name in value && !form.isFlat && stored[attribute] === undefined
          ? [[attribute] as const]
          : [],
      );
      return {
        kind: "update",
        set: Object.entries(stored).map(([name, each]) => [[name], each] as const),
        ...(remove.length > 0 && { remove }),
      };
    },
    read(attributes, into = {}) {
      const value: { [Name in keyof T]?: unknown } = into;
      for (const { name, form, attribute } of fields) {
        const field = form.isFlat ? form.read(attributes) : form.read(attributes, attribute);
        if (field !== undefined) value[name] = field;
      }
      return value as T;
    },
  };
}

type AnyForm = Form<unknown> | SparseForm<unknown> | FlatForm<unknown>;

/** A map with a form for each field of the value. */
export const record = <T extends object>(forms: Forms<T>): Form<T> => {
  const { write, read } = flat(forms);
  return {
    write: (value) => write(value),
    read: (attributes, name) => read(mapOf(attributes, name)),
  };
};

/** The host-reserved addresses of a block, or of the affinity of its claim. */
export const hostReserved: Form<HostReserved> = record<HostReserved>({
  start: number,
  end: number,
  handle: optional(text),
  note: optional(text),
});

/** The fields of a value that the key of its item has, and those that follow from others. */
interface Parts<T, InKey extends keyof T, Derived extends keyof T> {
  key(value: Pick<T, InKey>): Key;
  /** @throws {Error} if the key is impossible */
  named(item: Item): Pick<T, InKey>;
  readonly attributes: Forms<Omit<T, InKey | Derived>>;
  /** Returns the fields that are not stored. */
  derive?(stored: Omit<T, InKey | Derived>): Pick<T, Derived>;
  /** Returns attributes that follow from the value, and are no fields of it. */
  beside?(value: T): Attributes;
  /** @throws {Error} if a value is missing or impossible, which no item may have */
  assert?(value: T): void;
}

/** Values of a kind as items, and back. */
export interface Codec<T> {
  key(value: T): Key;
  /** @throws {Error} if the value is one that no item may have */
  item(value: T): Item;
  /** @throws {CorruptItemError} if this version cannot read the item */
  from(item: Item): T;
}

/**
 * Returns the codec of a kind of items. Each field of the value is in its key, has a form of its
 * attribute, or is derived.
 */
export function codec<T extends object, InKey extends keyof T, Derived extends keyof T = never>({
  key,
  named,
  attributes,
  derive,
  beside,
  assert,
}: Parts<T, InKey, Derived> &
  ([Derived] extends [never] ? unknown : { derive: unknown })): Codec<T> &
  Changes<Omit<T, InKey | Derived>> {
  const { write, read, update } = flat<Omit<T, InKey | Derived>>(attributes);
  return {
    key,
    update,
    item(value) {
      assert?.(value);
      // V8 would make a dictionary of a spread that grows, and take five times as long.
      const item = Object.assign({} as Record<string, Value>, key(value));
      write(value, item);
      return beside ? Object.assign(item, beside(value)) : item;
    },
    from: reading((item) => {
      const stored = read(item, Object.assign({}, named(item)));
      return (derive ? Object.assign(stored, derive(stored)) : stored) as T;
    }, assert),
  };
}

/**
 * Returns the writes of items that have a revision. A change succeeds only if the revision is the
 * one seen (rule 5). The step names its clauses: `affinity-confirm` is conditional on
 * `affinity-confirm-rev`.
 */
export function revised<T extends { readonly revision: string }>(
  table: Table,
  { key: keyOf, item: itemFrom, from }: Codec<T>,
) {
  const unchanged = (step: string, { revision }: T) => equals(`${step}-rev`, revision, "revision");
  return {
    /** Creates an item that does not exist yet. `clause` names that condition. */
    async create(step: string, clause: string, value: T): Promise<Outcome<T>> {
      const item = itemFrom(value);
      const when = [absent(clause, "pk")];
      return withItem(
        await table.write({ step, key: item, when, change: { kind: "put", item } }),
        from,
      );
    },

    async change(step: string, seen: T, next: T): Promise<Outcome<T>> {
      const item = itemFrom(next);
      const when = [unchanged(step, seen)];
      return withItem(
        await table.write({ step, key: item, when, change: { kind: "put", item } }),
        from,
      );
    },

    async remove(step: string, seen: T): Promise<Outcome<unknown>> {
      const when = [unchanged(step, seen)];
      return table.write({ step, key: keyOf(seen), when, change: { kind: "delete" } });
    },
  };
}

/** Returns the same outcome with its item as a value of the domain. */
export function withItem<T>(outcome: Outcome<Item>, from: (item: Item) => T): Outcome<T> {
  switch (outcome.outcome) {
    case "done":
      return { outcome: "done", item: from(outcome.item) };
    case "lost":
      return { outcome: "lost", item: outcome.item && from(outcome.item) };
    case "unknown":
      return outcome;
    default:
      return outcome satisfies never;
  }
}
