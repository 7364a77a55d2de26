import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import { describe, expect, it } from "vitest";
import { attributeOf, itemChangeOf, valueIn } from "../../src/table/streamed-change.ts";

const KEY = { pk: "BLOCK#default#10.0.0.0/20", sk: "10.0.0.0" };
const ITEM = {
  ...KEY,
  revision: 7,
  names: new Set(["a", "b"]),
  counts: new Set([1, 2]),
  bytes: Uint8Array.of(0, 255),
  slots: { 7: Uint8Array.of(1, 2, 3) },
  list: ["x", { y: Uint8Array.of(9) }],
  yes: true,
};

/** Returns attributes as the JSON of an event has them: bytes are text in Base64. */
const inJson = (item: object) =>
  JSON.parse(
    JSON.stringify(marshall(item), (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  );

const record = (images: object): DynamoDBRecord => ({
  eventID: "1",
  eventName: "MODIFY",
  dynamodb: {
    Keys: inJson(KEY),
    SequenceNumber: "4421584500000000017450439091",
    ApproximateCreationDateTime: 1_763_985_600,
    ...images,
  },
});

describe("a record of the table's stream", () => {
  it("has the key, both items with every kind of value, the padded number and the time", () => {
    const later = { ...ITEM, revision: 8 };
    expect(itemChangeOf(record({ OldImage: inJson(ITEM), NewImage: inJson(later) }))).toEqual({
      key: KEY,
      before: ITEM,
      after: later,
      sequence: "0000000000004421584500000000017450439091",
      atMs: 1_763_985_600_000,
    });
  });

  it("of a creation has no item before, and of a deletion none afterwards", () => {
    expect(itemChangeOf(record({ NewImage: inJson(ITEM) }))).not.toHaveProperty("before");
    expect(itemChangeOf(record({ OldImage: inJson(ITEM) }))).not.toHaveProperty("after");
  });

  it("without a key, a number or a time is rejected", () => {
    for (const lacking of ["Keys", "SequenceNumber", "ApproximateCreationDateTime"])
      expect(() => itemChangeOf(record({ [lacking]: undefined }))).toThrow("no key, no number");
    expect(() => itemChangeOf({})).toThrow("no key, no number");
  });
});

describe("an attribute in DynamoDB's JSON", () => {
  it("is the same that the SDK makes of a value, and gives the value back", () => {
    expect(attributeOf(ITEM)).toEqual({ M: inJson(ITEM) });
    expect(valueIn(attributeOf(ITEM))).toEqual(ITEM);
  });

  it("has the members of a set in order", () => {
    expect(attributeOf(new Set(["b", "a"]))).toEqual({ SS: ["a", "b"] });
    expect(attributeOf(new Set([3, 2]))).toEqual({ NS: ["2", "3"] });
  });
});
