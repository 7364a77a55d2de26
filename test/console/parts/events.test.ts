import { expect, it } from "vitest";
import type { Event } from "../../../console/src/api/types.ts";
import { withNewer } from "../../../console/src/api/use-events.ts";

const event = (id: string, sequence: string) => ({ id, sequence }) as Event;

it("events that come twice are kept once, and the newest are first", () => {
  const [first, second, third] = [event("a", "1"), event("b", "2"), event("c", "3")];
  expect(withNewer([second, first], [first, third])).toEqual([third, second, first]);
});

it("the newest thousand events are kept", () => {
  const many = Array.from({ length: 1_500 }, (_, i) => event(`${i}`, `${1_000_000 + i}`));
  const kept = withNewer(many.slice(0, 800), many.slice(800));
  expect(kept.length).toBe(1_000);
  expect(kept[0]).toBe(many.at(-1));
});
