import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import { type ItemChange, padded } from "./change-log.ts";
import { isMap } from "./clause.ts";
import type { Item, Key, Value } from "./item.ts";

const MS_PER_SECOND = 1_000;

/**
 * Returns the change that a record of the table's stream tells, as Lambda receives it
 * (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html).
 *
 * @throws if the record lacks the key, the number or the time of the change
 */
export function itemChangeOf({ dynamodb }: DynamoDBRecord): ItemChange {
  const { Keys, OldImage, NewImage, SequenceNumber, ApproximateCreationDateTime } = dynamodb ?? {};
  if (!Keys || SequenceNumber === undefined || ApproximateCreationDateTime === undefined)
    throw new Error("the record has no key, no number or no time");
  const before = OldImage && itemOf(OldImage);
  const after = NewImage && itemOf(NewImage);
  return {
    key: itemOf(Keys) as Key,
    ...(before && { before }),
    ...(after && { after }),
    sequence: padded(SequenceNumber),
    atMs: ApproximateCreationDateTime * MS_PER_SECOND,
  };
}

type Attributes = NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["Keys"]>;
export type Attribute = Attributes[string];

const itemOf = (attributes: Attributes): Item => valueIn({ M: attributes }) as Item;

/** Returns the value of an attribute in DynamoDB's JSON, with bytes in base64. */
export const valueIn = (attribute: Attribute): Value =>
  unmarshall({ value: withBytes(attribute) as unknown as AttributeValue }).value as Value;

/** Returns a value as an attribute in DynamoDB's JSON: numbers as texts, bytes in base64, members of sets in order. */
export function attributeOf(value: Value): Attribute {
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (isMap(value))
    return {
      M: Object.fromEntries(Object.entries(value).map(([name, one]) => [name, attributeOf(one)])),
    };
  if (value instanceof Uint8Array) {
    const { buffer, byteOffset, byteLength } = value;
    return { B: Buffer.from(buffer, byteOffset, byteLength).toString("base64") };
  }
  if (!(value instanceof Set)) return { L: [...value].map(attributeOf) };
  const members = [...value];
  const texts = members.map(String).sort();
  return typeof members[0] === "number" ? { NS: texts } : { SS: texts };
}

/** Returns an attribute with its bytes. Lambda has them as text in Base64, because an event is JSON. */
function withBytes(attribute: Attribute): Record<string, unknown> {
  const { B, BS, L, M } = attribute;
  if (B !== undefined) return { B: bytes(B) };
  if (BS) return { BS: BS.map(bytes) };
  if (L) return { L: L.map(withBytes) };
  if (M)
    return {
      M: Object.fromEntries(Object.entries(M).map(([name, one]) => [name, withBytes(one)])),
    };
  return { ...attribute };
}

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "base64"));
