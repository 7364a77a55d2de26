import * as v from "valibot";
import { isJson, mediaType, parseBody, unsupported } from "../../../api/http/body.ts";
import type { Event } from "../../../api/http/event.ts";
import { acceptsLines, NDJSON, parsedLine, parseLines } from "../../../api/http/ndjson.ts";
import { parseSpace } from "../../../api/http/parameters.ts";
import { idempotencyKey } from "../../../api/schema/field.ts";
import { invalid, orProblem, Problem } from "../../../api/schema/problem.ts";
import { checked, isRecord, rejectDeep } from "../../../api/schema/schema.ts";
import { BATCH_ADDRESSES_MAX } from "../../../base/limits.ts";
import { totalOf } from "../../../kernel/assign/assignment.ts";
import type { BatchItem } from "../../../kernel/batch/batch.ts";
import { batchItem, batchList } from "../contract/batch-request.ts";
import { parseAssign } from "./assign.ts";
import { parseRelease } from "./release.ts";

/** The requests of a batch. */
export interface BatchRequest {
  readonly entries: readonly BatchEntry[];
  /** The readable ones, in their order. */
  readonly items: readonly BatchItem[];
  /** True if the answer has a line for each request. */
  readonly asLines: boolean;
}

/** A request of a batch, and how its sender finds it again. */
interface BatchEntry {
  /** The request as it was read, or why it cannot be served. */
  readonly read: BatchItem | Problem;
  /** Its line in a body of NDJSON. */
  readonly line?: number;
  readonly idempotencyKey?: string;
}

/** Parses a batch. Each request is read as if it had come alone, and a malformed one does not hinder the others. */
export function parseBatch(event: Event): BatchRequest {
  const sent = parseRequests(event);
  const space = parseSpace(event);
  if (event.headers["idempotency-key"] !== undefined) throw KEY_OF_BATCH;
  const entries = sent.map(({ value, ...at }) => ({
    ...at,
    ...keyOf(value),
    read: value instanceof Problem ? value : orProblem(() => parseItem(event, space, value)),
  }));
  const items = entries
    .map(({ read }) => read)
    .filter((read): read is BatchItem => !(read instanceof Problem));
  const total = items.reduce((sum, item) => sum + addressesOf(item), 0);
  if (total > BATCH_ADDRESSES_MAX) throw tooMany(total);
  return { entries, items, asLines: acceptsLines(event) };
}

/** A request as it was sent: a value, or the problem of a line that is not JSON. */
interface Sent {
  readonly value: unknown;
  readonly line?: number;
}

/** Returns the requests of a body: those of a JSON object, or the lines of NDJSON. */
function parseRequests(event: Event): readonly Sent[] {
  const type = mediaType(event);
  if (type === NDJSON) {
    const lines = parseLines(event);
    checked(batchList, { requests: lines });
    return lines.map((each) => ({ value: orProblem(() => parsedLine(each)), line: each.line }));
  }
  if (!isJson(type)) throw unsupported(type, `application/json or ${NDJSON}`);
  const input = parseBody(event, batchList);
  return input.requests.map((value) => ({ value }));
}

/** Returns the key of a request as it was sent, if it has a valid one. */
function keyOf(value: unknown): Pick<BatchEntry, "idempotencyKey"> {
  const key = isRecord(value) ? value.idempotencyKey : undefined;
  return v.is(idempotencyKey, key) ? { idempotencyKey: key as string } : {};
}

function parseItem(event: Event, space: string, entry: unknown): BatchItem {
  const input = checked(batchItem, entry);
  const { assign, release } = input;
  if ((assign === undefined) === (release === undefined)) throw ONE_OF_BOTH;
  rejectDeep(assign ? "assign" : "release", assign ?? release);
  // The key is read as the header of a request that comes alone.
  const { idempotencyKey: key } = keyOf(entry);
  if (assign) return parseAssignItem(alone(event, assign, key));
  if (key !== undefined) throw KEY_OF_RELEASE;
  return parseReleaseItem(alone(event, release), space);
}

/** Returns the event of a request of a batch as if it had come alone. */
const alone = (event: Event, body: unknown, key?: string): Event => ({
  ...event,
  headers: {
    ...event.headers,
    "content-type": "application/json",
    ...(key !== undefined && { "idempotency-key": key }),
  },
  body: JSON.stringify(body),
  isBase64Encoded: false,
});

function parseAssignItem(event: Event): BatchItem {
  const read = parseAssign(event, () => "");
  const { dryRun, ...request } = read;
  if (dryRun) throw DRY_RUN_IN_BATCH;
  if (request.keyId === undefined) throw KEYLESS;
  return { kind: "assign", request };
}

function parseReleaseItem(event: Event, space: string): BatchItem {
  const read = parseRelease(event);
  if (!("entries" in read)) throw ADDRESSES_ONLY;
  return { kind: "release", space, entries: read.entries, keep: read.keep };
}

const addressesOf = (item: BatchItem): number =>
  item.kind === "assign" ? totalOf(item.request.wanted) : item.entries.length;

/** The problems of one request of a batch. */
const ONE_OF_BOTH = invalid({
  field: "assign",
  problem: "or release is required, and only one of them",
});
const KEY_OF_RELEASE = invalid({
  field: "idempotencyKey",
  problem: "is for an assign: the generations of its addresses make a release safe to repeat",
});
const DRY_RUN_IN_BATCH = invalid({
  field: "dryRun",
  value: true,
  problem: "is not for a batch: POST /v1/assign takes it",
});
/** An assign needs a key, so that its batch can be sent again and nothing is assigned twice. */
const KEYLESS = invalid({
  field: "idempotencyKey",
  problem:
    "is required: a text that is new for each assign, and the same when its batch is sent again",
});
const ADDRESSES_ONLY = invalid({
  field: "addresses",
  problem:
    "is required: a batch releases single addresses. POST /v1/release takes a handle, a host or a workload",
});

/** The problems of a batch. */
const KEY_OF_BATCH = invalid({
  field: "Idempotency-Key",
  problem: "is not for a batch: each of its assigns has an idempotencyKey of its own",
});
const tooMany = (total: number): Problem =>
  invalid({
    field: "requests",
    value: total,
    problem: `must ask for and release at most ${BATCH_ADDRESSES_MAX} addresses together; send several batches`,
  });
