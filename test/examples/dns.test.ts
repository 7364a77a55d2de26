import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { EventType } from "../../src/base/event-type.ts";
import { EVENTS } from "../../src/contract/answers.ts";
import { padded } from "../../src/table/change-log.ts";
import { type Event, planOf, RESOURCES, type Remembered, reverseName } from "./dns.ts";

/** Returns an event as Plat sends it. */
function event(sequence: number, type: EventType, address: string, more: object): Event {
  const whole = {
    ...{ id: `${sequence} ${type}`, type, at: "2026-11-24T12:00:00.000Z" },
    ...{ sequence: padded(BigInt(sequence)), space: "default", address, family: 4, ...more },
  };
  expect(v.safeParse(EVENTS[type], whole).issues).toBeUndefined();
  return whole;
}

/** Returns the attributes with a name, and with none if there is no name. */
const attributesOf = (dns: string | undefined) => (dns === undefined ? {} : { dns });
const owned = (address: string, dns?: string) => ({
  ...{ block: `${address}/32`, pool: "pool", handle: "web", attributes: attributesOf(dns) },
});
const assigned = (sequence: number, address: string, dns?: string) =>
  event(sequence, "AddressAssigned", address, owned(address, dns));
const released = (sequence: number, address: string) =>
  event(sequence, "AddressReleased", address, { ...owned(address), reason: "released" });
const changed = (sequence: number, address: string, after: object, before: object = {}) =>
  event(sequence, "AddressChanged", address, { handle: "web", before, after });
const renamed = (sequence: number, address: string, dns?: string) =>
  changed(sequence, address, { attributes: attributesOf(dns) });

const NOTHING: Remembered = new Map();
const WEB = {
  "7.0.0.10.in-addr.arpa. PTR": "web.example.com.",
  "web.example.com. A": "10.0.0.7",
};

/** Returns the records after batches of events, as Route 53 would have them. */
function zoneAfter(batches: readonly (readonly Event[])[]) {
  let remembered: Remembered = NOTHING;
  const zone = new Map<string, string>();
  for (const batch of batches) {
    const { changes, remember } = planOf(remembered, batch, 60);
    remembered = new Map([...remembered, ...remember]);
    for (const { Action, ResourceRecordSet } of changes) {
      const { Name, Type, ResourceRecords } = ResourceRecordSet;
      const value = ResourceRecords[0]?.Value ?? "";
      if (Action === "UPSERT") zone.set(`${Name} ${Type}`, value);
      else if (zone.get(`${Name} ${Type}`) === value) zone.delete(`${Name} ${Type}`);
    }
  }
  return Object.fromEntries([...zone].sort());
}

describe("the example of DNS records", () => {
  it("writes a record and its reverse for an address with a name, and deletes both after its release", () => {
    const first = assigned(1, "10.0.0.7", "web.example.com");
    expect(zoneAfter([[first]])).toEqual(WEB);
    expect(zoneAfter([[first], [released(2, "10.0.0.7")]])).toEqual({});
  });

  it("ignores addresses without a name, and events that say nothing new", () => {
    expect(planOf(NOTHING, [assigned(1, "10.0.0.7")], 60).changes).toEqual([]);
    const batch = [assigned(1, "10.0.0.7", "web.example.com")];
    const { remember } = planOf(NOTHING, batch, 60);
    expect(planOf(remember, batch, 60).changes).toEqual([]);
  });

  it("moves a name to another address, and gives an address another name", () => {
    expect(
      zoneAfter([
        [assigned(1, "10.0.0.7", "web.example.com")],
        [released(2, "10.0.0.7"), assigned(3, "10.0.0.8", "web.example.com")],
        [renamed(4, "10.0.0.8", "shop.example.com")],
      ]),
    ).toEqual({
      "8.0.0.10.in-addr.arpa. PTR": "shop.example.com.",
      "shop.example.com. A": "10.0.0.8",
    });
  });

  it("keeps the records of an address whose owner or host changed, whichever event comes first", () => {
    const first = assigned(1, "10.0.0.7", "web.example.com");
    const kept = changed(2, "10.0.0.7", { state: "kept" }, { state: "assigned", host: "node-1" });
    const later = changed(3, "10.0.0.7", { owner: { active: { vm: "b" } } });
    expect(zoneAfter([[first], [kept], [later]])).toEqual(WEB);
    expect(zoneAfter([[later], [kept], [first]])).toEqual(WEB);
  });

  it("deletes the records of an address whose name was taken off", () => {
    const first = assigned(1, "10.0.0.7", "web.example.com");
    expect(zoneAfter([[first], [renamed(2, "10.0.0.7")]])).toEqual({});
    const without = changed(2, "10.0.0.7", {}, { attributes: { dns: "web.example.com" } });
    expect(zoneAfter([[without], [first]])).toEqual({});
  });

  it("takes an assignment as later than a release with the same sequence, whichever comes first", () => {
    const first = assigned(1, "10.0.0.7", "old.example.com");
    const [gone, again] = [released(2, "10.0.0.7"), assigned(2, "10.0.0.7", "web.example.com")];
    for (const batches of [[[first], [gone], [again]], [[first], [again], [gone]], [[again, gone]]])
      expect(zoneAfter(batches)).toEqual(WEB);
  });

  it("has no records for a prefix", () => {
    expect(planOf(NOTHING, [renamed(1, "10.0.0.0/28", "web.example.com")], 60).changes).toEqual([]);
  });

  it("comes to the same records from events in any order, in any batches, and again", () => {
    const history = Array.from({ length: 12 }, (_, n) => {
      const address = `10.0.0.${n % 3}`;
      const name = `${address.replaceAll(".", "-")}.example.com`;
      return [
        assigned(n + 1, address, name),
        changed(n + 1, address, { host: "node-2" }, { host: "node-1" }),
        renamed(n + 1, address, `new-${name}`),
        released(n + 1, address),
      ][(n + Math.floor(n / 3)) % 4] as Event;
    });
    const wanted = zoneAfter([history]);
    const deliveries = fc
      .shuffledSubarray([...history, ...history], { minLength: 24, maxLength: 24 })
      .chain((events) => fc.tuple(fc.constant(events), fc.integer({ min: 1, max: 10 })));
    fc.assert(
      fc.property(deliveries, ([events, size]) => {
        const batches = Array.from({ length: Math.ceil(events.length / size) }, (_, n) =>
          events.slice(n * size, (n + 1) * size),
        );
        expect(zoneAfter(batches)).toEqual(wanted);
      }),
    );
  });

  it("names the reverse records of both families", () => {
    expect(reverseName("192.0.2.1")).toBe("1.2.0.192.in-addr.arpa");
    expect(reverseName("2001:db8::567:89ab")).toBe(
      "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
    );
  });

  it("has a rule for the events, and a queue that hands out one batch at a time", () => {
    expect(RESOURCES.Rule.Properties).toMatchObject({
      EventPattern: { source: ["plat"] },
      Targets: [{ Arn: "!GetAtt Queue.Arn", SqsParameters: { MessageGroupId: "dns" } }],
    });
    expect(RESOURCES.Queue.Properties.FifoQueue).toBe(true);
  });
});
