import fc from "fast-check";
import { expect, it } from "vitest";
import { hrefOf, type Place, placeAt } from "../../../console/src/state/place.ts";

const NAME = fc
  .string({ minLength: 1, maxLength: 30, unit: "grapheme" })
  .filter((name) => !/(^|\/)\.{0,2}(\/|$)/.test(name));

const PLACE: fc.Arbitrary<Place> = fc.record({
  space: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
  page: fc.oneof(
    fc.constantFrom(
      { kind: "overview" as const },
      { kind: "jobs" as const },
      { kind: "search" as const },
    ),
    fc.record({
      kind: fc.constantFrom("pool" as const, "block" as const, "host" as const, "handle" as const),
      name: NAME,
    }),
  ),
  view: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ unit: "grapheme" }), {
    noNullPrototype: true,
  }),
});

it("the address of every page leads to that page", () => {
  fc.assert(
    fc.property(PLACE, (place) => {
      const url = new URL(hrefOf(place), "http://127.0.0.1:8787");
      expect(placeAt(url)).toEqual(place);
    }),
  );
});

it.each(["/console/pools", "/console/jobs/x", "/console/constructor/x", "/console/%zz"])(
  "%s is the address of no page",
  (pathname) => {
    expect(placeAt({ pathname, search: "" }).page).toEqual({ kind: "nowhere" });
  },
);
