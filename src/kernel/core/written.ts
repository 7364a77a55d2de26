import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../base/limits.ts";
import { type Outcome, Rejection, UnavailableError } from "../../base/outcome.ts";
import { fresh, mintedAtMs } from "../values/fresh.ts";
import type { Context } from "./context.ts";

/** The result of an operator's write. */
export interface Written<T> {
  readonly value: T;
  readonly created: boolean;
  /** The time from which every function uses the value, in milliseconds since the epoch. */
  readonly effectiveAtMs: number;
}

/**
 * Returns the outcome of an operator's write if it is known.
 *
 * @throws {UnavailableError} if the outcome is unknown; the operator must read before writing again
 */
export async function knownOutcome<T>(write: Promise<Outcome<T>>) {
  const result = await write;
  if (result.outcome === "unknown")
    throw new UnavailableError(
      "the database did not say whether the change was made; read before trying again",
    );
  return result;
}

/** Returns the rejection of a write whose resource another request changed after it was read. */
export const changedMeanwhile = (kind: string, name: string) =>
  new Rejection(
    "precondition_failed",
    `The ${kind} ${name} was changed by another request meanwhile.`,
  );

/**
 * The precondition of a write (RFC 9110, 13.1): the revision that the resource must have, or the conditions of If-Match
 * and If-None-Match together. `any` is `*`; a list names revisions.
 */
export type Precondition = string | undefined | Conditions;

export interface Conditions {
  readonly match?: Revisions;
  readonly noneMatch?: Revisions;
}

export type Revisions = "any" | readonly string[];

/** A resource as a rejection names it. Without a revision, the resource does not exist. */
interface Resource {
  readonly kind: string;
  readonly name: string;
  readonly revision?: string | undefined;
}

/** The action that the caller wants. */
type Act = keyof typeof UNDONE;

const UNDONE = { change: "changed", delete: "deleted", drain: "drained" } as const;

/** The write that a caller wants, and its precondition. */
interface Wanted {
  readonly act: Act;
  readonly precondition: Precondition;
  /**
   * True if the resource already is what the write would make it. Such a write needs no If-Match, and a stale revision
   * does not cause a rejection: the answer to an earlier attempt may have been lost (RFC 9110, 13.1.1).
   */
  readonly isSame?: boolean;
}

/** Returns the rejection if the precondition does not hold; otherwise nothing. */
export function unmet(
  { kind, name, revision }: Resource,
  { act, precondition, isSame = false }: Wanted,
): Rejection | undefined {
  const { match, noneMatch } = conditionsOf(precondition);
  if (revision === undefined)
    return match === undefined
      ? undefined
      : failed(`If-Match was sent, but there is no ${kind} ${name}.`);
  if (noneMatch !== undefined && isAmong(revision, noneMatch))
    return failed(
      noneMatch === "any"
        ? `The ${kind} ${name} exists already; If-None-Match: * only creates.`
        : `The ${kind} ${name} still has an ETag that If-None-Match names.`,
    );
  if (isSame) return undefined;
  if (match === undefined)
    return new Rejection(
      "precondition_required",
      `The ${kind} ${name} exists; send its ETag as If-Match to ${act} it, or * to ${act} any version.`,
    );
  if (isAmong(revision, match)) return undefined;
  return failed(
    `The ${kind} ${name} has changed since it was read, and is not ${UNDONE[act]}; read it again.`,
  );
}

/**
 * Returns the result of a write that changes nothing: the current value, and when every function uses it. That time
 * follows from the revision, whichever request wrote it.
 *
 * @param effectiveMsMax the maximum time in milliseconds until every function uses a write
 */
export function unchanged<T>(
  context: Context,
  value: T,
  revision: string,
  effectiveMsMax: number,
): Written<T> {
  // Its author drew the revision before the write, which may have landed as late as a request can be.
  const latestMs = mintedAtMs(revision) + REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
  const writtenAtMs = Math.min(latestMs, context.now());
  return { value, created: false, effectiveAtMs: writtenAtMs + effectiveMsMax };
}

const conditionsOf = (precondition: Precondition): Conditions =>
  typeof precondition === "string" ? { match: [precondition] } : (precondition ?? {});

const isAmong = (revision: string, revisions: Revisions): boolean =>
  revisions === "any" || revisions.includes(revision);

const failed = (detail: string) => new Rejection("precondition_failed", detail);

/**
 * Enters a space into the register, so that `reclaim` visits it. Whoever writes what the deletion of a space removes does so first:
 * the job that deletes the space then stops.
 *
 * @returns the revision of the entry
 */
export async function registerSpace(context: Context, space: string): Promise<string> {
  const revision = fresh(context);
  await knownOutcome(context.store.registerSpace(space, revision));
  return revision;
}
