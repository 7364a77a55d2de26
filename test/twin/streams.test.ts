import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { Deployment } from "../../twin/deployment.ts";
import { Streams, type StreamsProps } from "../../twin/streams.ts";
import { scratchDirectory } from "../table/scratch-file.ts";

const newDirectory = scratchDirectory();
const ARN = "arn:aws:dynamodb:eu-central-1:123456789012:table/plat/stream/1";

/** A deployment with one stream, whose function may read it. */
const DEPLOYMENT = {
  functions: [
    {
      name: "publish",
      role: {
        arn: "arn:aws:iam::123456789012:role/publish",
        statements: [{ effect: "Allow", actions: ["dynamodb:*"], resources: ["*"] }],
      },
    },
  ],
  streams: [{ functionName: "publish", tableName: "plat", streamArn: ARN, batchSize: 10 }],
} as unknown as Deployment;

const ANSWERS: Readonly<Record<string, object>> = {
  ListStreams: { Streams: [{ StreamArn: ARN }] },
  DescribeStream: { StreamDescription: { StreamArn: ARN, Shards: [{ ShardId: "1" }] } },
  GetShardIterator: { ShardIterator: "i" },
  GetRecords: { Records: [] },
};

afterEach(() => {
  vi.restoreAllMocks();
});

it("each call of a poller has a signal of its own: a shared one would keep a listener of every call", async () => {
  const signals: unknown[] = [];
  let polled = () => {};
  const secondRound = new Promise<void>((resolve) => {
    polled = resolve;
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, { headers, signal } = {}) => {
    signals.push(signal);
    if (signals.length > Object.keys(ANSWERS).length) polled();
    const [, operation = ""] = new Headers(headers).get("x-amz-target")?.split(".") ?? [];
    return Response.json(ANSWERS[operation]);
  });
  const streams = new Streams({
    deployment: DEPLOYMENT,
    lambda: {} as StreamsProps["lambda"],
    queues: {} as StreamsProps["queues"],
    endpoint: "http://127.0.0.1:1",
    file: join(await newDirectory(), "positions.json"),
  });
  await secondRound;
  await streams.stop();
  expect(new Set(signals).size).toBe(signals.length);
});
