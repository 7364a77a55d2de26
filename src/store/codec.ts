import { type Address, formatAddress } from "../domain/address.ts";
import { type AddressSet, formatSet } from "../domain/address-set.ts";
import { type Cidr, formatCidr } from "../domain/cidr.ts";
import type { Labels } from "../domain/labels.ts";
import type { PoolSelector } from "../domain/pool.ts";
import {
  type Attributes,
  flagOf,
  idOf,
  listOf,
  mapOf,
  numberOf,
  oneOf,
  textOf,
  textsOf,
} from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item, Key, Value } from "./item.ts";
import { labelsFrom, labelsItem } from "./labels.ts";
import { addressText, cidrText, selectorText, setText } from "./text.ts";

/** The form of an attribute: the stored value of a field, and back. */
export interface Form<T> {
  write(value: T): Value;
  /** @throws {Error} if the attribute is missing or impossible, because the item is then corrupt */
  read(attributes: Attributes, name: string): T;
}

/** The form of an attribute that may be absent. */
export interface OptionalForm<T> extends Form<T> {
  readonly mayBeAbsent: true;
}

const asIs = <T extends Value>(read: Form<T>["read"]): Form<T> => ({
  write: (value) => value,
  read,
});

export const text = asIs(textOf);
/** An id, a token, a revision or an epoch. It is never empty. */
export const id = asIs(idOf);
export const number = asIs(numberOf);
export const flag = asIs(flagOf);
export const texts = asIs(textsOf);
export const anyOf = <T extends string>(known: readonly T[]): Form<T> =>
  asIs((attributes, name) => oneOf(attributes, name, known));
/** Texts of a list of known ones. The check of the whole value finds an unknown one. */
export const someOf = <T extends string>(): Form<readonly T[]> =>
  asIs((attributes, name) => listOf(attributes, name) as readonly T[]);
/** A map whose values the check of the whole value knows. */
export const map = <T extends Attributes>(): Form<T> =>
  asIs((attributes, name) => mapOf(attributes, name) as T);

const parsed = <T>(
  write: (value: T) => string,
  read: (value: Value | undefined) => T,
): Form<T> => ({
  write,
  read: (attributes, name) => read(attributes[name]),
});
export const cidr: Form<Cidr> = parsed(formatCidr, cidrText);
export const address: Form<Address> = parsed(formatAddress, addressText);
export const selector: Form<PoolSelector> = parsed(({ text }) => text, selectorText);
export const addressSet: Form<AddressSet> = {
  write: formatSet,
  read: (attributes, name) => setText(listOf(attributes, name)),
};
/** Labels, under the name `labels`. */
export const labels: Form<Labels> = { write: labelsItem, read: (item) => labelsFrom(item as Item) };

export const list = <T>(form: Form<T>): Form<readonly T[]> => ({
  write: (values) => values.map(form.write),
  read: (attributes, name) =>
    listOf(attributes, name).map((value) => form.read({ each: value }, "each")),
});

/** A map with a form for each field of the value. */
export const record = <T extends object>(forms: Forms<T>): Form<T> => ({
  write: (value) => written(value, forms),
  read: (attributes, name) => read(mapOf(attributes, name), forms),
});

export const optional = <T>(form: Form<T>): OptionalForm<T> => ({ ...form, mayBeAbsent: true });

/** A form for each field of a value. A field without one, and a form without a field, are type errors. */
export type Forms<T> = {
  readonly [Name in keyof T]-?: object extends Pick<T, Name>
    ? OptionalForm<NonNullable<T[Name]>>
    : Form<T[Name]>;
};

/** The fields of a value that the key of its item has, and those that follow from others. */
interface Parts<T, InKey extends keyof T, Derived extends keyof T> {
  key(value: Pick<T, InKey>): Key;
  named(key: Key): Pick<T, InKey>;
  readonly attributes: Forms<Omit<T, InKey | Derived>>;
  /** Returns the fields that are not stored. */
  derive?(stored: Omit<T, InKey | Derived>): Pick<T, Derived>;
  /** @throws {Error} if a value is missing or impossible, which no item may have */
  assert(value: T): void;
}

/** Values of a kind as items, and back. */
export interface Codec<T> {
  /** @throws {Error} if the value is one that no item may have */
  item(value: T): Item;
  /** @throws {CorruptItemError} if this version cannot read the item */
  from(item: Item): T;
}

/**
 * Returns the codec of a kind of items. Each field of the value is in its key, has an attribute of its name, or is derived.
 */
export function codec<T extends object, InKey extends keyof T, Derived extends keyof T = never>({
  key,
  named,
  attributes,
  derive,
  assert,
}: Parts<T, InKey, Derived> &
  ([Derived] extends [never] ? unknown : { derive: unknown })): Codec<T> {
  return {
    item(value) {
      assert(value);
      return { ...key(value), ...written(value, attributes) };
    },
    from: reading((item) => {
      const stored = read(item, attributes);
      return { ...named(item), ...stored, ...derive?.(stored) } as T;
    }, assert),
  };
}

type AnyForm = Form<unknown> & Partial<OptionalForm<unknown>>;

const entriesOf = (forms: object): readonly (readonly [string, AnyForm])[] => Object.entries(forms);

function written<T extends object>(value: T, forms: Forms<Partial<T>> | object): Attributes {
  const attributes: Record<string, Value> = {};
  for (const [name, form] of entriesOf(forms)) {
    const field = value[name as keyof T];
    if (field !== undefined) attributes[name] = form.write(field);
  }
  return attributes;
}

function read<T extends object>(attributes: Attributes, forms: Forms<T>): T {
  const value: Record<string, unknown> = {};
  for (const [name, form] of entriesOf(forms))
    if (!form.mayBeAbsent || attributes[name] !== undefined)
      value[name] = form.read(attributes, name);
  return value as T;
}
