import { createHash } from "node:crypto";
import { isRecord } from "../contract/schema/schema.ts";
import type { BatchedRequest } from "./cut-batches.ts";
import { namesInstance } from "./repeatable.ts";

/**
 * Gives each assign that has no key one that is made of its own text, and of how many equal ones came before it. So the same requests
 * get the same keys whenever they are sent, in whatever order, and beside whatever others. Equal requests are different ones.
 *
 * An assign that names an instance gets none: the uid of the instance is its key.
 */
export async function* keyed(
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
