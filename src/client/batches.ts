import { createHash } from "node:crypto";
import { isRecord } from "../api/schema/schema.ts";
import { addressCountOf, type Batch, type BatchedRequest, cutInBatches } from "./cut-batches.ts";
import type { Waiting } from "./http.ts";
import type { Answer, Operations } from "./operations.ts";
import { isRepeatableInBatch, namesInstance } from "./repeatable.ts";

/** Batches that a client has under way at once. */
export const BATCHES_AT_ONCE_MAX = 4;

/** The result of one request: `assigned`, `released` or `problem`. */
export type BatchResult = Answer<"sendBatch">["results"][number];

/** Batches in a row that bring no request nearer to its end. */
const FRUITLESS_MAX = 5;

interface Sending extends Waiting {
  readonly send: Operations["sendBatch"];
}

/**
 * Carries out requests in batches, some side by side. Requests that had no time, or that another try may serve, are sent again.
 * The time of a batch for another try begins anew whenever one has brought a request nearer to its end.
 *
 * @returns the result of each request, in their order; its `index` counts all of them
 * @throws PlatError if a batch fails, after the results of all that were under way
 */
export async function* inBatches(
  sending: Sending,
  requests: Iterable<BatchedRequest> | AsyncIterable<BatchedRequest>,
  signal?: AbortSignal,
): AsyncGenerator<BatchResult, void, undefined> {
  const underWay: Promise<Ended>[] = [];
  let failed: Failed | undefined;
  for await (const batch of cutInBatches(keyed(requests))) {
    underWay.push(ended(sending, batch, signal));
    if (underWay.length < BATCHES_AT_ONCE_MAX) continue;
    const first = await (underWay.shift() as Promise<Ended>);
    yield* first.results;
    failed = first.failed;
    if (failed) break;
  }
  for (const each of underWay) {
    const batch = await each;
    yield* batch.results;
    failed ??= batch.failed;
  }
  if (failed) throw failed.error;
}

interface Failed {
  readonly error: unknown;
}

/** The results that a batch has, and why it has no others. */
interface Ended {
  readonly results: readonly BatchResult[];
  readonly failed?: Failed;
}

interface Left {
  readonly at: number;
  readonly request: BatchedRequest;
}

/** Carries out a batch. The promise never rejects, because nobody awaits it before its turn. */
async function ended(
  sending: Sending,
  batch: Batch,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  const results: BatchResult[] = [];
  try {
    await carryOut(sending, batch, results, signal);
    return { results };
  } catch (error) {
    return { results, failed: { error } };
  }
}

/** Sends a batch until nothing is left that another try may serve. Each try puts its results into `results`. */
async function carryOut(
  { send, sleep, now, retryMs }: Sending,
  { from, requests }: Batch,
  results: BatchResult[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let left: readonly Left[] = requests.map((request, at) => ({ at, request }));
  let endMs = now() + retryMs;
  for (let fruitless = 0; left.length > 0 && fruitless < FRUITLESS_MAX; ) {
    const sent = left;
    const { body } = await send({ body: { requests: sent.map(({ request }) => request) }, signal });
    const again = sent.flatMap(({ at, request }, n) => {
      const result = body.results[n] as BatchResult;
      const addresses = requests[at]?.release?.addresses ?? [];
      results[at] = { ...together(results[at], result, addresses), index: from + at };
      const rest = restOf(request, result, retryMs);
      return rest ? [{ at, request: rest, waitMs: waitMsOf(result) }] : [];
    });
    const isFruitful = weightOf(again) < weightOf(sent);
    if (isFruitful) endMs = now() + retryMs;
    fruitless = isFruitful ? 0 : fruitless + 1;
    const leftMs = endMs - now();
    const soon = again.filter(({ waitMs }) => waitMs <= leftMs);
    if (soon.length > 0) await sleep(Math.max(...soon.map(({ waitMs }) => waitMs)), signal);
    left = soon;
  }
}

/** Returns what of a request is to be sent again; nothing if its result is final, or a wait is too long. */
function restOf(
  request: BatchedRequest,
  result: BatchResult,
  retryMs: number,
): BatchedRequest | undefined {
  const { released, problem } = result;
  if (released) {
    const { release } = request;
    const addresses = release?.addresses.filter((address, n) =>
      isToRepeat(address, released.results[n]),
    );
    return release && addresses && addresses.length > 0
      ? { release: { ...release, addresses } }
      : undefined;
  }
  if (!problem?.retryable || waitMsOf(result) > retryMs) return undefined;
  // A release that failed may be done in part, and only a generation tells a later assignment from that one.
  return isRepeatableInBatch(request) ? request : undefined;
}

type BatchedAddress = NonNullable<BatchedRequest["release"]>["addresses"][number];
type AddressResult = NonNullable<BatchResult["released"]>["results"][number];

/** Returns true for an address that was left unfinished, and that no repeat can take from a later assignment. */
const isToRepeat = (
  { generation }: BatchedAddress,
  result: AddressResult | undefined,
): result is AddressResult => result?.status === "unfinished" && generation !== undefined;

const waitMsOf = ({ released, problem }: BatchResult): number =>
  released ? 0 : (problem?.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * 1_000;

/**
 * Returns one result for a release that took two tries: the second was of what the first left unfinished.
 *
 * @param addresses those that the first try named
 */
function together(
  before: BatchResult | undefined,
  after: BatchResult,
  addresses: readonly BatchedAddress[],
): BatchResult {
  if (!before?.released) return after;
  if (!after.released) return before;
  const rest = after.released.results.values();
  const results = before.released.results.map((one, n) => {
    const address = addresses[n];
    return address && isToRepeat(address, one) ? (rest.next().value ?? one) : one;
  });
  const complete = results.every(({ status }) => status !== "unfinished");
  return { ...after, released: { ...after.released, results, complete } };
}

/** Returns how much is left to do: in a release address by address. */
const weightOf = (left: readonly Left[]): number =>
  left.reduce((sum, { request }) => sum + Math.max(1, addressCountOf(request)), 0);

/**
 * Gives each assign that has no key one that is made of its own text, and of how many equal ones came before it. So the same requests
 * get the same keys whenever they are sent, in whatever order, and beside whatever others. Equal requests are different ones.
 *
 * An assign that names an instance gets none: the uid of the instance is its key.
 */
async function* keyed(
  requests: Iterable<BatchedRequest> | AsyncIterable<BatchedRequest>,
): AsyncGenerator<BatchedRequest, void, undefined> {
  const met = new Map<string, number>();
  for await (const request of requests) {
    const { assign, idempotencyKey } = request;
    if (assign === undefined || idempotencyKey !== undefined || namesInstance(assign)) {
      yield request;
      continue;
    }
    const text = digestOf(assign);
    const before = met.get(text) ?? 0;
    met.set(text, before + 1);
    yield { ...request, idempotencyKey: `${text}.${before}` };
  }
}

const digestOf = (assign: object): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(assign)))
    .digest("base64url")
    .slice(0, 32);

/** Returns the same value with the fields of each object in the order of their names, and without those that are left out. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  // A null prototype, so that `__proto__` is a field like any other.
  const fields: Record<string, unknown> = Object.create(null);
  for (const name of names) fields[name] = sorted(value[name]);
  return fields;
}
