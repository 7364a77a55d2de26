import { type AssignmentRecord, isExpired, type Part } from "../../domain/allocation.ts";
import { type Block, heldBy } from "../../domain/block.ts";
import {
  CLOCK_SKEW_MS_MAX,
  PARTS_ENDED_AT_ONCE,
  REQUEST_MS_MAX,
  SWAP_TRIES_MAX,
} from "../../domain/limits.ts";
import { Contended, Refusal } from "../../domain/outcome.ts";
import { formatTime } from "../../domain/time.ts";
import { fence } from "../blocks/fence-block.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { endAsSeen } from "./close-allocation.ts";
import type { Holding } from "./holding.ts";

/** What a second executor of a keyed request may do with the record it finds. */
export type Resumption =
  /** The request was answered, or would have been: the same answer again. */
  | {
      readonly kind: "answered";
      readonly record: AssignmentRecord;
      readonly held: readonly Holding[];
    }
  /** Nothing of it is held or can be any more: begin again, writing the record over this one. */
  | { readonly kind: "vacant"; readonly record: AssignmentRecord }
  /** The record went while it was looked at: begin from nothing. */
  | { readonly kind: "gone" };

/**
 * Settles what an earlier try of the same request has come to (I8).
 *
 * Held in full, and the record unchanged when read again after that look: the same answer. Released: told so. Young: its
 * author may still be at work. Older: a head that is still open is aborted, and what it holds given back; the parts of a
 * live one are fenced, and if that shows nothing, the request begins again under new tokens (rule 4).
 */
export async function resume(
  context: Context,
  found: AssignmentRecord,
  digest: string,
): Promise<Resumption | Refusal> {
  let record = found;
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    if (record.digest !== digest)
      return new Refusal(
        "idempotency_mismatch",
        "This Idempotency-Key was used with another body for the same handle.",
      );
    if (record.state === "released" || record.given.size > 0) return alreadyReleased(record);
    const held = record.state === "live" ? await holdingsOf(context, record) : [];
    if (record.state === "live" && isWhole(record, held)) {
      if (isExpired(record, context.now())) return alreadyReleased(record);
      // A release marks the record before it frees: unchanged after the look, the slots were still held.
      const again = await context.store.readRecord(record.place);
      if (again?.revision === record.revision) return { kind: "answered", record, held };
      if (!again) return { kind: "gone" };
      record = again;
      continue;
    }
    const young = inProgress(context, record);
    if (young) return young;
    const vacant =
      record.state === "live"
        ? await vacated(context, record)
        : await endAsSeen(context, "resume-abort", record, { fence: "resume-abort-fence" });
    if (vacant) return { kind: "vacant", record: vacant };
    const again = await context.store.readRecord(record.place);
    if (!again) return { kind: "gone" };
    record = again;
  }
  throw new Contended("the record of this request kept changing while it was looked at");
}

export function alreadyReleased({ given, expiresAtMs }: AssignmentRecord): Refusal {
  const how =
    given.size > 0
      ? `given back: ${[...given].join(", ")}`
      : expiresAtMs === undefined
        ? "released by its handle"
        : `released, or its lease ran out at ${formatTime(expiresAtMs)}`;
  return new Refusal("already_released", `What this request was assigned has been ${how}.`, {
    released: [...given],
  });
}

/** What a record visibly holds. */
async function holdingsOf(context: Context, record: AssignmentRecord): Promise<readonly Holding[]> {
  const { store } = context;
  const looks = await inParallel(record.parts, PARTS_ENDED_AT_ONCE, async (part) =>
    holding(part, await store.readBlock(record.place.space, part.block)),
  );
  return looks.flat();
}

function isWhole(record: AssignmentRecord, held: readonly Holding[]): boolean {
  return held.reduce((sum, { ordinals }) => sum + ordinals.length, 0) === record.want;
}

/** A record whose author may still be at work. */
export function inProgress(context: Context, { atMs }: AssignmentRecord): Refusal | undefined {
  const waitMs = atMs + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX - context.now();
  if (waitMs <= 0) return undefined;
  return new Refusal(
    "request_in_progress",
    "The same request, or another under the same limit, is being carried out, or was cut off a moment ago.",
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}

/** The record itself if a fence shows that nothing of it is held, so that nothing of it can be taken any more. */
async function vacated(
  context: Context,
  record: AssignmentRecord,
): Promise<AssignmentRecord | undefined> {
  const looks = await inParallel(record.parts, PARTS_ENDED_AT_ONCE, async (part) =>
    holding(part, await fence(context, "resume-fence", record.place.space, part.block)),
  );
  return looks.flat().length === 0 ? record : undefined;
}

function holding(part: Part, block: Block | undefined): Holding[] {
  const ordinals = heldBy(block, part.token);
  return block && ordinals.length > 0 ? [{ part, block, ordinals }] : [];
}
