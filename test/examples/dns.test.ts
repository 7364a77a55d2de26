import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Event, planOf, RESOURCES, type Remembered, reverseName } from "./dns.ts";

const event = (sequence: number, type: string, address: string, dns?: string): Event => ({
  type,
  space: "default",
  address,
  sequence: String(sequence).padStart(40, "0"),
  ...(dns !== undefined && { attributes: { dns } }),
});
const NOTHING: Remembered = new Map();

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
    const assigned = event(1, "AddressAssigned", "10.0.0.7", "web.example.com");
    expect(zoneAfter([[assigned]])).toEqual({
      "7.0.0.10.in-addr.arpa. PTR": "web.example.com.",
      "web.example.com. A": "10.0.0.7",
    });
    expect(zoneAfter([[assigned], [event(2, "AddressReleased", "10.0.0.7")]])).toEqual({});
  });

  it("ignores addresses without a name, and events that say nothing new", () => {
    expect(planOf(NOTHING, [event(1, "AddressAssigned", "10.0.0.7")], 60).changes).toEqual([]);
    const batch = [event(1, "AddressAssigned", "10.0.0.7", "web.example.com")];
    const { remember } = planOf(NOTHING, batch, 60);
    expect(planOf(remember, batch, 60).changes).toEqual([]);
  });

  it("moves a name to another address, and gives an address another name", () => {
    expect(
      zoneAfter([
        [event(1, "AddressAssigned", "10.0.0.7", "web.example.com")],
        [
          event(2, "AddressReleased", "10.0.0.7"),
          event(3, "AddressAssigned", "10.0.0.8", "web.example.com"),
        ],
        [event(4, "AddressChanged", "10.0.0.8", "shop.example.com")],
      ]),
    ).toEqual({
      "8.0.0.10.in-addr.arpa. PTR": "shop.example.com.",
      "shop.example.com. A": "10.0.0.8",
    });
  });

  it("comes to the same records from events in any order, in any batches, and again", () => {
    const history = Array.from({ length: 12 }, (_, n) => {
      const address = `10.0.0.${n % 3}`;
      return n % 4 === 3
        ? event(n + 1, "AddressReleased", address)
        : event(n + 1, "AddressAssigned", address, `${address.replaceAll(".", "-")}.example.com`);
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
