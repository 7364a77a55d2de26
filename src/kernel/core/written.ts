import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../base/limits.ts";
import { type Outcome, Rejection, UnavailableError } from "../../base/outcome.ts";
import { same } from "../../base/same.ts";
import { fresh, mintedAtMs } from "../values/fresh.ts";
import { notFound } from "./bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "./compare-and-swap.ts";
import type { Context } from "./context.ts";

/** The result of an operator's write. */
export interface Written<T> {
  readonly value: T;
  readonly created: boolean;
  /** The time from which every function uses the value, in milliseconds since the epoch. */
  readonly effectiveAtMs: number;
}

/** A resource that an operator writes and deletes whole, such as a quota. */
interface ResourceName {
  readonly kind: string;
  readonly space: string;
  readonly name: string;
}

/** Each write of a resource draws a revision of its own. */
interface Revised {
  readonly revision: string;
}

/** The steps by which a resource of one kind is written. */
interface Puts<T> {
  /** Returns the resource as it is; nothing if there is none. */
  read(): Promise<T | undefined>;
  /** Returns the resource as the write leaves it. */
  make(seen: T | undefined, revision: string): T;
  /** Writes what must stand before the resource does. Returns the rejection of one that may not be created. */
  prepare(next: T, seen: T | undefined): Promise<Rejection | undefined>;
  put(next: T, seen: T | undefined): Promise<Outcome<unknown>>;
  /** Tells the functions of the write, and returns the time from which every function uses it. */
  announce(): number | Promise<number>;
  /** The maximum time in milliseconds until every function uses a write. */
  readonly effectiveMsMax: number;
}

/** Creates a resource, or changes an existing one if the precondition holds. */
export function putResource<T extends Revised>(
  context: Context,
  { kind, name }: ResourceName,
  precondition: Precondition,
  { read, make, prepare, put, announce, effectiveMsMax }: Puts<T>,
): Promise<Written<T> | Rejection> {
  return compareAndSwap<Written<T> | Rejection>(`the ${kind} ${name}`, async () => {
    const seen = await read();
    const revision = seen?.revision;
    const isSame = seen !== undefined && same(seen, make(seen, seen.revision));
    const rejection = unmet({ kind, name, revision }, { act: "change", precondition, isSame });
    if (rejection) return answer(rejection);
    if (isSame) return answer(unchanged(context, seen, seen.revision, effectiveMsMax));
    const next = make(seen, fresh(context));
    const refused = await prepare(next, seen);
    if (refused) return answer(refused);
    const { outcome } = await knownOutcome(put(next, seen));
    if (outcome === "lost") return RETRY;
    return answer({ value: next, created: !seen, effectiveAtMs: await announce() });
  });
}

/** Deletes a resource if the precondition holds. */
export function deleteResource<T extends Revised>(
  { kind, space, name }: ResourceName,
  precondition: Precondition,
  {
    read,
    remove,
    announce,
  }: Pick<Puts<T>, "read" | "announce"> & {
    remove(seen: T): Promise<Outcome<unknown>>;
  },
): Promise<Written<undefined> | Rejection> {
  return compareAndSwap<Written<undefined> | Rejection>(`the ${kind} ${name}`, async () => {
    const seen = await read();
    if (!seen) return answer(notFound(space, kind, name));
    const { revision } = seen;
    const rejection = unmet({ kind, name, revision }, { act: "delete", precondition });
    if (rejection) return answer(rejection);
    const { outcome } = await knownOutcome(remove(seen));
    if (outcome === "lost") return RETRY;
    return answer({ value: undefined, created: false, effectiveAtMs: await announce() });
  });
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
