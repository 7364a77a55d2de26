import { expect, it } from "vitest";
import type { Event } from "../../../console/src/api/types.ts";
import { withNewer } from "../../../console/src/api/use-events.ts";
import { detailsOf } from "../../../console/src/parts/events-table.tsx";

const event = (id: string, sequence: string) => ({ id, sequence }) as Event;

it("events that come twice are kept once, and the newest are first", () => {
  const [first, second, third] = [event("a", "1"), event("b", "2"), event("c", "3")];
  const kept = { events: [second, first], isCut: false };
  expect(withNewer(kept, [first, third])).toEqual({
    events: [third, second, first],
    isCut: false,
  });
});

it("of events with equal sequences, those that came later are first", () => {
  const [first, second, third] = [event("a", "1"), event("b", "1"), event("c", "1")];
  const kept = withNewer({ events: [], isCut: false }, [first, second]);
  expect(kept.events).toEqual([second, first]);
  expect(withNewer(kept, [second, third]).events).toEqual([third, second, first]);
  expect(withNewer(kept, [first]).events).toEqual([second, first]);
});

it("the newest thousand events are kept, and the page knows that others were left out", () => {
  const many = Array.from({ length: 1_500 }, (_, i) => event(`${i}`, `${1_000_000 + i}`));
  const kept = withNewer({ events: many.slice(0, 800), isCut: false }, many.slice(800));
  expect(kept.events.length).toBe(1_000);
  expect(kept.events[0]).toBe(many.at(-1));
  expect(kept.isCut).toBe(true);
  expect(withNewer(kept, []).isCut).toBe(true);
});

it.each([
  [{ tier: "a" }, {}, "tier: a → —"],
  [{}, { tier: "b" }, "tier: — → b"],
  [{ mtu: 1_400, tier: "a" }, { mtu: 1_500 }, "mtu: 1400 → 1500, tier: a → —"],
])("the details of a change from %j to %j are %s", (before, after, text) => {
  expect(detailsOf({ type: "PoolChanged", before, after } as unknown as Event)).toBe(text);
});
