import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { DynamoDBRecord } from "aws-lambda";
import type { DeployedStream, Deployment } from "./deployment.ts";
import { decide } from "./iam.ts";
import type { Lambda } from "./lambda.ts";
import type { Queues } from "./queues.ts";
import { matches } from "./stream-filter.ts";

export interface StreamsProps {
  readonly deployment: Deployment;
  readonly lambda: Lambda;
  readonly queues: Queues;
  /** The embedded DynamoDB. */
  readonly endpoint: string;
  /** The file that keeps how far each stream was read. */
  readonly file: string;
}

/** A record of the stream, with its number. */
type Streamed = DynamoDBRecord & { readonly dynamodb: { readonly SequenceNumber: string } };

/** Lambda reads a shard without records 4 times a second (https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html). */
const POLL_MS = 250;
const RETRY_MS = 250;
const ANSWER_MS_MAX = 10_000;

/** The acts of Lambda's poller on a stream, as the role of the function. */
const READING = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"] as const;

/**
 * Plays Lambda's pollers of streams: it reads each shard in its order, leaves out what no filter matches, and calls the
 * function with batches. A batch comes again from the first record that the function names. If the function fails as a
 * whole, each half comes again by itself. What is older than the template allows goes to the queue of dead letters
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html).
 */
export class Streams {
  /** True while the mapping of each stream is disabled. */
  isOff = false;
  readonly #props: StreamsProps;
  readonly #positions: Map<string, string>;
  /** The streams of the tables. */
  readonly #arns = new Map<string, string>();
  /** The iterators of shards that had no records. */
  readonly #iterators = new Map<string, string>();
  readonly #stopping = new AbortController();
  readonly #polling: readonly Promise<void>[];

  constructor(props: StreamsProps) {
    this.#props = props;
    this.#positions = new Map(Object.entries(read(props.file)));
    this.#polling = props.deployment.streams.map((stream) => this.#poll(stream));
  }

  /** Stops with the batch in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#polling);
  }

  async #poll(stream: DeployedStream): Promise<void> {
    this.#assertMayRead(stream);
    while (!this.#stopping.signal.aborted) {
      const progress =
        !this.isOff &&
        (await this.#round(stream).catch((error) => {
          if (!this.#stopping.signal.aborted) console.error(error);
          this.#arns.clear();
          this.#iterators.clear();
          return false;
        }));
      if (!progress) await this.#pause(POLL_MS);
    }
  }

  /** Delivers what is new in each shard; returns true if there was something. */
  async #round(stream: DeployedStream): Promise<boolean> {
    const { StreamArn, Shards } = await this.#describe(stream);
    let progress = false;
    for (const { ShardId } of Shards) {
      const found = await this.#next(StreamArn, ShardId, stream.batchSize);
      const last = found.at(-1);
      if (!last) continue;
      progress = true;
      await this.#deliver(
        stream,
        found.filter((each) => matches(stream.filters, each)),
      );
      if (this.#stopping.signal.aborted) return false;
      this.#positions.set(ShardId, last.dynamodb.SequenceNumber);
      writeFileSync(this.#props.file, JSON.stringify(Object.fromEntries(this.#positions)));
    }
    return progress;
  }

  async #deliver(stream: DeployedStream, batch: readonly Streamed[]): Promise<void> {
    let open = batch;
    while (open.length > 0 && !this.#stopping.signal.aborted) {
      const Records = open.map((each) => ({ ...each, eventSourceARN: stream.streamArn }));
      const outcome = await this.#props.lambda.invoke(
        stream.functionArn,
        JSON.stringify({ Records }),
      );
      const isAnswered = typeof outcome === "object" && "payload" in outcome;
      if (isAnswered) {
        open = open.slice(firstFailed(outcome.payload, open));
        if (open.length === 0) return;
      } else if (stream.bisect && open.length > 1) {
        const middle = Math.ceil(open.length / 2);
        await this.#deliver(stream, open.slice(0, middle));
        await this.#deliver(stream, open.slice(middle));
        return;
      }
      const [first] = open;
      if (first && isOlder(first, stream.ageSecondsMax)) {
        if (stream.onFailureArn !== undefined)
          this.#props.queues.send(stream.onFailureArn, { streamArn: stream.streamArn, first });
        open = open.slice(1);
      } else await this.#pause(RETRY_MS);
    }
  }

  async #describe({ tableName }: DeployedStream) {
    const StreamArn = this.#arns.get(tableName) ?? (await this.#arnOf(tableName));
    const { StreamDescription } = await this.#ask("DescribeStream", { StreamArn });
    this.#arns.set(tableName, StreamArn);
    return StreamDescription as {
      readonly StreamArn: string;
      readonly Shards: readonly { readonly ShardId: string }[];
    };
  }

  async #arnOf(TableName: string): Promise<string> {
    const { Streams: streams } = await this.#ask("ListStreams", { TableName });
    const [stream] = streams as readonly { readonly StreamArn: string }[];
    if (!stream) throw new Error(`${TableName} has no stream`);
    return stream.StreamArn;
  }

  async #next(StreamArn: string, ShardId: string, Limit: number): Promise<readonly Streamed[]> {
    const ShardIterator =
      this.#iterators.get(ShardId) ?? (await this.#iteratorOf(StreamArn, ShardId));
    const { Records, NextShardIterator } = await this.#ask("GetRecords", { ShardIterator, Limit });
    const found = Records as readonly Streamed[];
    // What was found is read again until it is delivered.
    if (found.length === 0 && NextShardIterator)
      this.#iterators.set(ShardId, String(NextShardIterator));
    else this.#iterators.delete(ShardId);
    return found;
  }

  async #iteratorOf(StreamArn: string, ShardId: string): Promise<unknown> {
    const SequenceNumber = this.#positions.get(ShardId);
    const { ShardIterator } = await this.#ask("GetShardIterator", {
      StreamArn,
      ShardId,
      ...(SequenceNumber === undefined
        ? { ShardIteratorType: "TRIM_HORIZON" }
        : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber }),
    });
    return ShardIterator;
  }

  /** Calls DynamoDB Streams as JSON, because a function gets the records as that. */
  async #ask(operation: string, body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(this.#props.endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `DynamoDBStreams_20120810.${operation}`,
        "x-amz-date": "19700101T000000Z",
        // The embedded DynamoDB wants a signature, and does not check it.
        authorization:
          "AWS4-HMAC-SHA256 Credential=twin/19700101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=none",
      },
      body: JSON.stringify(body),
      // A signal that lives as long as the twin would keep a listener of every call.
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    if (!answer.ok) throw new Error(`${operation}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  #assertMayRead({ functionName, streamArn }: DeployedStream): void {
    const role = this.#props.deployment.functions.find(({ name }) => name === functionName)?.role;
    for (const action of READING)
      if (
        decide(role?.statements ?? [], { action: `dynamodb:${action}`, resource: streamArn }) !==
        "allowed"
      )
        throw new Error(`${role?.arn} lacks dynamodb:${action} on ${streamArn}`);
  }
}

function read(file: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** Returns the place of the first record that the function names as failed; the end if it names none. */
function firstFailed(payload: string, batch: readonly Streamed[]): number {
  const { batchItemFailures = [] } = JSON.parse(payload) ?? {};
  const places = batchItemFailures.map(({ itemIdentifier }: { itemIdentifier: string }) =>
    batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier),
  );
  // An unknown number fails the whole batch.
  return places.length === 0 ? batch.length : Math.max(0, Math.min(...places));
}

const isOlder = ({ dynamodb }: Streamed, secondsMax: number): boolean =>
  Date.now() / 1_000 - (dynamodb.ApproximateCreationDateTime ?? 0) > secondsMax;
