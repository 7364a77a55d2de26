import { expect, it } from "vitest";
import { codec, id, number, optional, text } from "../../src/store/codec.ts";
import type { Key } from "../../src/store/item.ts";
import { reservationKey } from "../../src/store/key.ts";
import { spaceAndName } from "../../src/store/readable-items.ts";

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
  for (const thing of [plain, { ...plain, note: "n" }])
    expect(THING.from({ ...THING.item(thing), ...KNOWN })).toEqual(thing);
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
      // @ts-expect-error -- nothing derives the size
      codec<Thing, "space" | "name", "size">({
        ...keys,
        attributes: { note: optional(text), revision: id },
      }),
  ];
  expect(made).toHaveLength(5);
});
