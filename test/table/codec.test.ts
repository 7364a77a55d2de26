import { expect, it } from "vitest";
import {
  codec,
  type FlatForm,
  flag,
  flat,
  id,
  json,
  list,
  map,
  mark,
  number,
  optional,
  record,
  type SparseForm,
  set,
  someOf,
  sparse,
  text,
  textAmong,
  texts,
  under,
  via,
} from "../../src/table/codec.ts";
import type { Key } from "../../src/table/item.ts";
import { reservationKey, spaceAndName } from "../../src/table/key.ts";

interface Thing {
  readonly space: string;
  readonly name: string;
  readonly size: number;
  readonly note?: string;
  readonly revision: string;
}

const keys = {
  key: ({ space, name }: Pick<Thing, "space" | "name">): Key => reservationKey(space, name),
  named: spaceAndName,
  assert: ({ size }: Thing) => {
    if (size < 0) throw new Error("its size is negative");
  },
};
const THING = codec<Thing, "space" | "name">({
  ...keys,
  attributes: { size: number, note: optional(text), revision: id },
});
const KNOWN = { f: 1, k: 2 };

it("a value is the same after it was an item, with and without what may be absent", () => {
  const plain: Thing = { space: "s#1", name: "a/b", size: 3, revision: "r" };
  for (const thing of [plain, { ...plain, note: "n" }]) {
    expect(THING.from({ ...THING.item(thing), ...KNOWN })).toStrictEqual(thing);
    expect(THING.item(thing)).toMatchObject(THING.key(thing));
  }
  expect(THING.item(plain)).not.toHaveProperty("note");
});

it("neither a written nor a read value is one that no item may have", () => {
  const wrong: Thing = { space: "s", name: "n", size: -1, revision: "r" };
  expect(() => THING.item(wrong)).toThrow("negative");
  const item = { ...THING.item({ ...wrong, size: 1 }), ...KNOWN };
  expect(() => THING.from({ ...item, size: -1 })).toThrow("negative");
  expect(() => THING.from({ ...item, size: "1" })).toThrow("its size is no number");
  expect(() => THING.from({ ...item, revision: "" })).toThrow("its revision is no id");
});

interface Parcel {
  readonly atMs: number;
  readonly untilMs?: number;
  readonly isSealed?: true;
  readonly tags: readonly string[];
  readonly seen: ReadonlySet<string>;
  readonly weight: bigint;
  readonly sender: { readonly id: string; readonly isKnown: boolean };
  readonly stops: readonly { readonly town: string; readonly reason?: string }[];
  readonly object: { readonly constructor: string };
  readonly state: "sent" | "lost";
}

const weight = via(text, String, BigInt);
const stops = list(record<Parcel["stops"][number]>({ town: text, reason: optional(text) }));
const sender = flat<Parcel["sender"]>({ id: under("sender", id), isKnown: under("known", flag) });
const PARCEL = {
  atMs: under("at", number),
  untilMs: under("until", optional(number)),
  isSealed: optional(under("sealed", mark)),
  tags: sparse(texts),
  seen: set,
  weight,
  sender,
  stops,
  object: json<Parcel["object"]>(),
  state: textAmong<Parcel["state"]>(["sent", "lost"]),
};
const parcel = flat<Parcel>(PARCEL);
const PLAIN: Parcel = {
  atMs: 1,
  tags: [],
  seen: new Set(),
  weight: 2n ** 90n,
  sender: { id: "a", isKnown: false },
  stops: [{ town: "x" }, { town: "y", reason: "z" }],
  object: { constructor: "c" },
  state: "sent",
};
const FULL: Parcel = {
  ...PLAIN,
  untilMs: 0,
  isSealed: true,
  tags: ["t"],
  seen: new Set(["u"]),
};

it("a field has an attribute of another name, several, or none while it is empty", () => {
  const plain = {
    at: 1,
    weight: "1237940039285380274899124224",
    sender: "a",
    known: false,
    stops: [{ town: "x" }, { town: "y", reason: "z" }],
    object: '{"constructor":"c"}',
    state: "sent",
  };
  expect(parcel.write(PLAIN)).toStrictEqual(plain);
  expect(parcel.write(FULL)).toStrictEqual({
    ...plain,
    until: 0,
    sealed: true,
    tags: ["t"],
    seen: new Set(["u"]),
  });
  for (const value of [PLAIN, FULL]) expect(parcel.read(parcel.write(value))).toStrictEqual(value);
  expect(parcel.names).toEqual(
    expect.arrayContaining(["at", "until", "sealed", "tags", "seen", "weight", "stops"]),
  );
});

it.each([
  ["its at is no number", { at: undefined }],
  ["its until is no number", { until: "0" }],
  ["its sealed is no mark", { sealed: false }],
  ["its tags is no list of texts", { tags: [1] }],
  ["its seen is no set", { seen: [] }],
  ["its sender is no id", { sender: "" }],
  ["its stops is no map", { stops: ["x"] }],
  ["its town is no text", { stops: [{}] }],
  ["its state is no known state", { state: "found" }],
])("%s, where it is of another form", (problem, attributes) => {
  const stored = { ...parcel.write(FULL), ...attributes } as ReturnType<typeof parcel.write>;
  expect(() => parcel.read(stored)).toThrow(problem);
});

it("a forgotten attribute, an unknown one and one of another form are type errors", () => {
  const attributes = { size: number, note: optional(text), revision: id };
  const { note: _, ...forgotten } = attributes;
  const made = [
    // @ts-expect-error -- it has no note
    () => codec<Thing, "space" | "name">({ ...keys, attributes: forgotten }),
    // @ts-expect-error -- the size is no text
    () => codec<Thing, "space" | "name">({ ...keys, attributes: { ...attributes, size: text } }),
    () =>
      codec<Thing, "space" | "name">({
        ...keys,
        // @ts-expect-error -- a thing has no colour
        attributes: { size: number, note: optional(text), revision: id, colour: text },
      }),
    // @ts-expect-error -- the note may be absent
    () => codec<Thing, "space" | "name">({ ...keys, attributes: { ...attributes, note: text } }),
    () =>
      codec<Thing, "space" | "name">({
        ...keys,
        // @ts-expect-error -- the size is always there
        attributes: { ...attributes, size: optional(number) },
      }),
    () =>
      // @ts-expect-error -- nothing derives the size
      codec<Thing, "space" | "name", "size">({
        ...keys,
        attributes: { note: optional(text), revision: id },
      }),
  ];
  expect(made).toHaveLength(6);
});

it("a helper does not hide a form that does not fit its field", () => {
  const { tags: _, ...untagged } = PARCEL;
  const seenOnce: SparseForm<ReadonlySet<string>> = set;
  const made = [
    // @ts-expect-error -- it has no tags
    () => flat<Parcel>(untagged),
    // @ts-expect-error -- it has no town
    () => record<Parcel["stops"][number]>({ reason: optional(text) }),
    () =>
      // @ts-expect-error -- a stop has no street
      record<Parcel["stops"][number]>({ town: text, reason: optional(text), street: text }),
    // @ts-expect-error -- the time is no text
    () => flat<Parcel>({ ...PARCEL, atMs: under("at", text) }),
    // @ts-expect-error -- the end may be absent
    () => flat<Parcel>({ ...PARCEL, untilMs: under("until", number) }),
    // @ts-expect-error -- the weight is no number
    () => flat<Parcel>({ ...PARCEL, weight: via(text, String, Number) }),
    // @ts-expect-error -- the stored value is a text
    () => via(number, String, BigInt),
    // @ts-expect-error -- a stop is no text
    () => flat<Parcel>({ ...PARCEL, stops: list(text) }),
    // @ts-expect-error -- the tags are no numbers
    () => flat<Parcel>({ ...PARCEL, tags: sparse(someOf<number>()) }),
    // @ts-expect-error -- the seal is never false
    () => flat<Parcel>({ ...PARCEL, isSealed: optional(flag) }),
    // @ts-expect-error -- it may be lost
    () => flat<Parcel>({ ...PARCEL, state: textAmong(["sent"]) }),
    // @ts-expect-error -- a sender has an id
    () => flat<Parcel>({ ...PARCEL, sender: flat({ isKnown: flag }) }),
    // @ts-expect-error -- a list that is absent while it is empty would be an empty one for a list that is absent
    () => flat<{ readonly tags?: readonly string[] }>({ tags: sparse(texts) }),
    // @ts-expect-error -- so would a set
    () => flat<{ readonly seen?: ReadonlySet<string> }>({ seen: seenOnce }),
    // @ts-expect-error -- the attributes of a flat form have names of their own
    () => under("who", sender),
    // @ts-expect-error -- the attributes of a flat form tell whether it is there
    () => optional(sender),
    // @ts-expect-error -- an entry of a list is never absent
    () => list(set),
    // @ts-expect-error -- a set is no map
    () => flat<Parcel>({ ...PARCEL, seen: map<Record<string, string>>() }),
    // @ts-expect-error -- nothing reads the sender
    (): FlatForm<Parcel["sender"]> => ({ isFlat: true, write: () => ({}) }),
  ];
  expect(made).toHaveLength(19);
});

it("an update names the attributes of some fields, and lets those go that have no value", () => {
  expect(THING.update({ size: 4 })).toStrictEqual({ kind: "update", set: [[["size"], 4]] });
  expect(parcel.update({ untilMs: undefined, atMs: 2, tags: [], sender: PLAIN.sender })).toEqual({
    kind: "update",
    set: [
      [["at"], 2],
      [["sender"], "a"],
      [["known"], false],
    ],
    remove: [["until"], ["tags"]],
  });
  const made = [
    // @ts-expect-error -- the size is no text
    () => THING.update({ size: "4" }),
    // @ts-expect-error -- the name is in the key
    () => THING.update({ name: "n" }),
    // @ts-expect-error -- a thing has no colour
    () => THING.update({ colour: "red" }),
  ];
  expect(made).toHaveLength(3);
});

it("no two fields share an attribute, because one of them would be lost", () => {
  const forms = { size: number, width: under("size", number) };
  expect(() => flat<{ size: number; width: number }>(forms)).toThrow(
    "two fields have the attribute size",
  );
});
