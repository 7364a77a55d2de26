import type { PutEventsCommand, PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { expect, it } from "vitest";
import { UnavailableError } from "../../../src/base/outcome.ts";
import { eventBus } from "../../../src/publish/aws/event-bus.ts";
import type { DomainEvent } from "../../../src/publish/domain-event.ts";

const event = (n: number, detail: DomainEvent["detail"] = {}): DomainEvent => ({
  id: `e${n}`,
  type: "AddressAssigned",
  atMs: Date.UTC(2026, 10, 24, 4),
  sequence: String(n),
  space: "default",
  detail,
});
const events = (count: number, detail?: DomainEvent["detail"]) =>
  Array.from({ length: count }, (_, n) => event(n, detail));

/** Returns a bus that rejects entries as told, by the number of the request. */
function bus(rejects: (entry: PutEventsRequestEntry, request: number) => boolean = () => false) {
  const requests: PutEventsRequestEntry[][] = [];
  const pausesMs: number[] = [];
  const client = {
    send: async ({ input }: PutEventsCommand) => {
      const entries = input.Entries ?? [];
      const number = requests.push(entries);
      return {
        Entries: entries.map((entry) =>
          rejects(entry, number) ? { ErrorCode: "ThrottlingException" } : { EventId: "id" },
        ),
      };
    },
  };
  const put = eventBus({
    client: client as never,
    name: "plat-prod",
    sleep: async (ms) => void pausesMs.push(ms),
  });
  return { put, requests, pausesMs };
}

it("an event has its source, its type, its time, and its id and number beside what happened", async () => {
  const { put, requests } = bus();
  await put([event(7, { address: "10.0.0.1" })]);
  expect(requests).toEqual([
    [
      {
        EventBusName: "plat-prod",
        Source: "plat",
        DetailType: "AddressAssigned",
        Time: new Date("2026-11-24T04:00:00.000Z"),
        Detail: JSON.stringify({
          id: "e7",
          type: "AddressAssigned",
          at: "2026-11-24T04:00:00.000Z",
          sequence: "7",
          space: "default",
          address: "10.0.0.1",
        }),
      },
    ],
  ]);
});

it("a request has at most ten events, and at most 256 KB", async () => {
  const small = bus();
  await small.put(events(23));
  expect(small.requests.map(({ length }) => length)).toEqual([10, 10, 3]);
  const large = bus();
  await large.put(events(5, { text: "x".repeat(100_000) }));
  expect(large.requests.map(({ length }) => length)).toEqual([2, 2, 1]);
  const none = bus();
  await none.put([]);
  expect(none.requests).toEqual([]);
});

it("an event that the bus has no room for leaves out what was before, and then its longest fields", async () => {
  const { put, requests } = bus();
  const owners = (text: string) => ({ owner: { active: { text }, alternate: { text } } });
  const changed = { address: "10.0.0.1", before: owners("x"), after: owners("é") };
  const [was, is] = [owners("x".repeat(65_525)), owners("é".repeat(32_762))];
  await put([
    event(0),
    event(1, { ...changed, before: was, after: is }),
    event(2, { pool: "p", hosts: "h".repeat(150_000), namespaces: "n".repeat(150_001) }),
    event(3, changed),
  ]);
  const details = requests.flat().map(({ Detail = "" }) => JSON.parse(Detail));
  expect(details.map(({ id, leftOut = [] }) => [id, ...leftOut])).toEqual([
    ["e0"],
    ["e1", "before"],
    ["e2", "namespaces"],
    ["e3"],
  ]);
  expect(details[1]).toMatchObject({ address: "10.0.0.1", after: is });
  expect(Object.keys(details[1])).not.toContain("before");
});

it("an event that the bus rejects is sent again, alone, after a pause", async () => {
  const { put, requests, pausesMs } = bus(
    ({ Detail }, number) => number < 3 && Detail?.includes('"e1"') === true,
  );
  await put(events(3));
  expect(requests.map(({ length }) => length)).toEqual([3, 1, 1]);
  expect(pausesMs).toEqual([100, 200]);
});

it("a bus that keeps rejecting is an error with its code, and no later event overtakes", async () => {
  const { put, requests } = bus(({ Detail }) => Detail?.includes('"e1"') === true);
  const failed = put(events(12));
  await expect(failed).rejects.toThrow("the bus rejects 1 of 10 events: ThrottlingException");
  await expect(failed).rejects.toBeInstanceOf(UnavailableError);
  expect(requests).toHaveLength(5);
});
