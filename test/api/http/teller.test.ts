import { expect, it } from "vitest";
import { type Teller, timed } from "../../../src/api/http/event.ts";

/** An answer about a lock. */
interface Told {
  readonly name: string;
  readonly openedAt?: string | undefined;
}

const told: Teller<Told> = timed;

it("a value is told with its times as texts, and without a time that it does not have", () => {
  const never: { readonly openedAtMs?: number } = {};
  expect(told({ name: "a", openedAtMs: 0 })).toStrictEqual({
    name: "a",
    openedAt: "1970-01-01T00:00:00.000Z",
  });
  expect(told({ name: "a", ...never })).toStrictEqual({ name: "a" });
});

it("a number whose name does not end in the unit stays as it is", () => {
  expect(timed({ kilogrammes: 0, atMs: "later" })).toStrictEqual({ kilogrammes: 0, atMs: "later" });
});

it("a field that only the value or only the answer has is a type error, and so is one of another type", () => {
  const name = "a";
  const made = [
    // @ts-expect-error the answer has no field for the key
    told({ name, openedAtMs: 0, key: 1 }),
    // @ts-expect-error nothing fills the field openedAt
    told({ name }),
    // @ts-expect-error the name of the answer is openedAt
    told({ name, openedMs: 0 }),
    // @ts-expect-error the answer has a text for the name
    told({ name: 1, openedAtMs: 0 }) satisfies Told,
  ];
  expect(made).toHaveLength(4);
});
