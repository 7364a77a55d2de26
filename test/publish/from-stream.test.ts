import type { DynamoDBRecord } from "aws-lambda";
import { expect, it, vi } from "vitest";
import { logger } from "../../src/api/http/logger.ts";
import { fromStream } from "../../src/publish/from-stream.ts";
import type { Published } from "../../src/publish/publisher.ts";
import type { ItemChange } from "../../src/table/change-log.ts";

vi.spyOn(logger, "info").mockReturnValue();
vi.spyOn(logger, "warn").mockReturnValue();
vi.spyOn(logger, "error").mockReturnValue();

const streamed = (SequenceNumber: string): DynamoDBRecord => ({
  dynamodb: {
    Keys: { pk: { S: "p" }, sk: { S: SequenceNumber } },
    SequenceNumber,
    ApproximateCreationDateTime: 1_763_985_600,
  },
});
const BROKEN: DynamoDBRecord = { eventID: "broken" };

function handlerOf(publish: (changes: readonly ItemChange[]) => Promise<Published>) {
  const aside: unknown[] = [];
  const handler = fromStream(publish, async (unreadable) => void aside.push(unreadable));
  return { handler, aside };
}

it("a batch is published in its order", async () => {
  const published: string[] = [];
  const { handler } = handlerOf(async (changes) => {
    published.push(...changes.map(({ key }) => key.sk));
    return { events: 2, lines: 2, deadLetters: 0 };
  });
  expect(await handler({ Records: [streamed("100"), streamed("200")] })).toEqual({
    batchItemFailures: [],
  });
  expect(published).toEqual(["100", "200"]);
});

it("the answer names the first change that must come again, as the stream names it", async () => {
  const { handler } = handlerOf(async (changes) => ({
    events: 1,
    lines: 0,
    deadLetters: 0,
    failed: changes[1]?.sequence ?? "",
  }));
  expect(await handler({ Records: [streamed("100"), streamed("200")] })).toEqual({
    batchItemFailures: [{ itemIdentifier: "200" }],
  });
});

it("a record that is no change of an item is put aside, and those after it are published", async () => {
  const published: string[] = [];
  const { handler, aside } = handlerOf(async (changes) => {
    published.push(...changes.map(({ key }) => key.sk));
    return { events: 1, lines: 1, deadLetters: 0 };
  });
  await handler({ Records: [streamed("100"), BROKEN, streamed("200")] });
  expect(aside).toEqual([BROKEN]);
  expect(published).toEqual(["100", "200"]);
});

it("a publisher that throws fails the batch, and tells the log the reason and not Lambda", async () => {
  const { handler } = handlerOf(async () => {
    throw new Error("no table");
  });
  await expect(handler({ Records: [streamed("100")] })).rejects.toThrow("the run failed");
});
