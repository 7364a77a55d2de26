import type { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { deadLetters } from "../../../src/publish/aws/destinations.ts";
import { itemChangeOf } from "../../../src/table/streamed-change.ts";

const KEY = { pk: "BLOCK#default#10.0.0.0/20", sk: "10.0.0.0" };

async function bodyOf(change: object) {
  const bodies: string[] = [];
  const client = {
    send: async ({ input }: SendMessageCommand) => void bodies.push(input.MessageBody ?? ""),
  };
  await deadLetters(client as never, "https://queue")(change, new TypeError("unknown"));
  return JSON.parse(bodies[0] ?? "");
}

it("a change that is put aside has its key, its items and the error", async () => {
  const after = { ...KEY, bytes: Uint8Array.of(0, 255), names: new Set(["a"]) };
  expect(await bodyOf({ key: KEY, sequence: "1", after })).toMatchObject({
    key: KEY,
    sequence: "1",
    after: { bytes: "AP8=", names: ["a"] },
    error: { name: "TypeError" },
  });
});

it("a change that is put aside has a number that JavaScript cannot count to as a text", async () => {
  const image = { pk: { S: KEY.pk }, sk: { S: KEY.sk }, f: { N: "1" } };
  const change = itemChangeOf({
    dynamodb: {
      Keys: image,
      NewImage: { ...image, seq: { N: "90071992547409930" } },
      SequenceNumber: "1",
      ApproximateCreationDateTime: 1_763_985_600,
    },
  });
  expect((await bodyOf(change)).after).toEqual({ ...KEY, f: 1, seq: "90071992547409930" });
});

it("one that is too large for a message is put aside without its items", async () => {
  const body = await bodyOf({ key: KEY, before: KEY, after: { ...KEY, x: "x".repeat(300_000) } });
  expect(Object.keys(body)).toEqual(["key", "error"]);
});
