import { BATCH_ADDRESSES_MAX, BATCH_ITEMS_MAX, BODY_BYTES_MAX } from "../base/limits.ts";
import type { Parameters } from "./operations.ts";

/** One request of a batch: an assign, or a release of addresses. */
export type BatchedRequest = Parameters<"sendBatch">["body"]["requests"][number];

/** Requests that one batch can carry. */
export interface Batch {
  /** The number of requests before them. */
  readonly from: number;
  readonly requests: readonly BatchedRequest[];
}

/** The bytes of a body around its requests. */
const AROUND_BYTES = Buffer.byteLength('{"requests":[]}');

/** Cuts requests into batches, each as large as its number, its addresses and its bytes allow. A request that is too large is alone. */
export async function* cutInBatches(
  requests: AsyncIterable<BatchedRequest>,
): AsyncGenerator<Batch, void, undefined> {
  let batch: BatchedRequest[] = [];
  let from = 0;
  let bytes = AROUND_BYTES;
  let addresses = 0;
  for await (const request of requests) {
    const ownBytes = Buffer.byteLength(JSON.stringify(request)) + 1;
    const ownAddresses = addressCountOf(request);
    const isFull =
      batch.length === BATCH_ITEMS_MAX ||
      bytes + ownBytes > BODY_BYTES_MAX ||
      addresses + ownAddresses > BATCH_ADDRESSES_MAX;
    if (isFull && batch.length > 0) {
      yield { from, requests: batch };
      from += batch.length;
      batch = [];
      bytes = AROUND_BYTES;
      addresses = 0;
    }
    batch.push(request);
    bytes += ownBytes;
    addresses += ownAddresses;
  }
  if (batch.length > 0) yield { from, requests: batch };
}

/** Returns how many addresses a request asks for or releases. */
export function addressCountOf({ assign, release }: BatchedRequest): number {
  if (release) return release.addresses.length;
  if (assign?.address !== undefined) return 1;
  if (assign?.addresses) return assign.addresses.length;
  const counts: readonly Counts[] = assign?.interfaces ?? [assign ?? {}];
  return counts.reduce((sum, { ipv4, ipv6 }) => sum + (ipv4 ?? 0) + (ipv6 ?? 0), 0);
}

interface Counts {
  readonly ipv4?: number | undefined;
  readonly ipv6?: number | undefined;
}
