import * as v from "valibot";
import { expect, it } from "vitest";
import {
  type AnswerField,
  type Inputs,
  kept,
  part,
  type RequestFields,
  readsOf,
  schemasOf,
  specOf,
  telling,
  told,
  wordsOf,
} from "../../src/api/noun.ts";

/** A noun of the domain: one field as it is said, one that follows from another, and one that may be absent. */
interface Door {
  readonly width: number;
  readonly area: number;
  readonly color?: string;
}
interface Said {
  readonly width: number;
  readonly area?: number | undefined;
}

const text = v.optional(v.string());
const width = { read: v.number() };
const color = { read: text };
const area = kept(v.optional(v.number()), (said, { width }: Said) => said ?? width * 2);

const DOOR = {
  width: { ...width, words: "In centimetres." },
  area: { ...area, words: { own: "Of the door." } },
  color: { ...color, words: { request: "Its colour.", answer: "The colour that it has." } },
} satisfies RequestFields<Door, Said>;

/** A noun of the domain with one field, which a request says as two. */
interface Gate {
  readonly locks: readonly string[];
}
interface SaidOfGate {
  readonly locks?: string | undefined;
  readonly bolts?: string | undefined;
}

const locks = kept(text, (said = "", { bolts = "" }: SaidOfGate) => [said, bolts]);
const GATE = { locks, bolts: part(text) } satisfies RequestFields<Gate, SaidOfGate>;

const tell = telling<Door>();
const TOLD = {
  width: tell(v.number(), ({ width }) => width),
  area: tell(v.number(), ({ area }) => area),
  color: tell(text, ({ color }) => color),
} satisfies Readonly<Record<keyof Door, AnswerField<Door>>>;

it("a declaration makes the value that a request says, and leaves out what it does not say", () => {
  const input: Inputs<typeof DOOR> & Said = { width: 80, color: undefined };
  expect(specOf<Door, Said>(DOOR, input)).toEqual({ width: 80, area: 160 });
  expect(specOf<Door, Said>(DOOR, { width: 80, area: 3 })).toEqual({ width: 80, area: 3 });
  expect(Object.keys(readsOf(DOOR))).toEqual(["width", "area", "color"]);
});

it("a part is in the value of another field, and in none of its own", () => {
  expect(specOf<Gate, SaidOfGate>(GATE, { locks: "a", bolts: "b" })).toStrictEqual({
    locks: ["a", "b"],
  });
  expect(Object.keys(readsOf(GATE))).toEqual(["locks", "bolts"]);
});

it("a declaration makes the answer about a value, and leaves out what it does not have", () => {
  expect(told(TOLD, { width: 80, area: 160 })).toStrictEqual({ width: 80, area: 160 });
  const answer = told(TOLD, { width: 80, area: 160, color: "red" });
  expect(v.parse(v.strictObject(schemasOf(TOLD)), answer)).toEqual(answer);
});

it("the words of a field are those of its name, or of the request and its answers", () => {
  expect(wordsOf("Door", DOOR)).toEqual({
    width: "In centimetres.",
    "DoorRequest.area": "Of the door.",
    "Door.area": "Of the door.",
    "DoorWritten.area": "Of the door.",
    "DoorRequest.color": "Its colour.",
    "Door.color": "The colour that it has.",
    "DoorWritten.color": "The colour that it has.",
  });
});

it("a forgotten field, an unknown one and one of another type are type errors", () => {
  const made = {
    // @ts-expect-error the field color is missing
    missing: { width, area } satisfies RequestFields<Door, Said>,
    // @ts-expect-error height is no field
    unknown: { width, area, color, height: width } satisfies RequestFields<Door, Said>,
    // @ts-expect-error a text is no number
    otherType: { width: { read: v.string() }, area, color } satisfies RequestFields<Door, Said>,
    // @ts-expect-error a door always has an area
    maybeAbsent: { width, area: { read: v.optional(v.number()) }, color } satisfies RequestFields<
      Door,
      Said
    >,
    // @ts-expect-error not every form of a request says the area
    maybeUnsaid: { width, area: { read: v.number() }, color } satisfies RequestFields<Door, Said>,
    // @ts-expect-error what is made of the width is a text
    otherValue: { width, area: kept(text, () => "2"), color } satisfies RequestFields<Door, Said>,
    // @ts-expect-error the part bolts is missing
    missingPart: { locks } satisfies RequestFields<Gate, SaidOfGate>,
    // @ts-expect-error a gate has no field for the bolts
    partAsField: { locks, bolts: { read: text } } satisfies RequestFields<Gate, SaidOfGate>,
    // @ts-expect-error the schema says a text where the function takes a number
    otherInput: kept(v.string(), (said: number) => said),
    // @ts-expect-error an answer must tell the color
    untold: { width: TOLD.width, area: TOLD.area } satisfies Record<keyof Door, AnswerField<Door>>,
    // @ts-expect-error the schema says a text, and the width is a number
    wronglyTold: tell(v.string(), ({ width }) => width),
    // @ts-expect-error the schema demands a text, and a door may have no color
    absent: tell(v.string(), ({ color }) => color),
  };
  expect(Object.keys(made)).toHaveLength(12);
});
