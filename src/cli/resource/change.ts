import { isDeepStrictEqual } from "node:util";
import { isManifest } from "../../api/http/choose-manifest.ts";
import { isRecord } from "../../api/schema/schema.ts";
import { found, isRejection, type Path, type PlatClient, type Reply } from "../../client/index.ts";
import type { Seen } from "../../client/request.ts";
import { keepingUnsaid } from "../../contract/manifest-fields.ts";
import type { Io } from "../shell/io.ts";
import type { WantedObject } from "./documents.ts";
import { pathOfObject } from "./kind.ts";

/** A change of an object: its current state, its desired state, and the action. */
export interface ObjectChange {
  readonly wanted: WantedObject;
  readonly outcome: "created" | "configured" | "unchanged" | "deleted";
  /** The desired object as the API returns it, with defaults. */
  readonly body: Body;
  /** The fields that change, with both of their values. */
  readonly changed: readonly FieldChange[];
  /** The fields that stay as they are because the manifest has no word for them, unless they have their defaults. */
  readonly left: readonly FieldLeft[];
  /** Warnings of the API, in sentences. */
  readonly warnings: readonly string[];
  readonly etag: string | undefined;
  /** The job that frees what left a pool, or deletes the pool, if one is under way. */
  readonly job?: string | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/** An object before a change; without an etag if the change creates it. */
type Before = Pick<Reply<Body>, "body" | "etag">;

interface FieldLeft {
  readonly field: string;
  readonly value: unknown;
}

/** A field that changes. A value is absent if the object has none before, or after. */
interface FieldChange {
  readonly field: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The fields of an object that nobody sets. */
const UNSET = new Set(["name", "state", "job", "members"]);

const TRIES_MAX = 4;

/** Reads the current object, and makes a dry run of the change, so that the API has validated it. */
export async function dryRun(client: PlatClient, wanted: WantedObject): Promise<ObjectChange> {
  const path = pathOfObject(wanted.kind, wanted.name);
  const seen = await current(client, wanted);
  if (!wanted.body) {
    const nothing = { wanted, body: {}, changed: [], left: [], warnings: [] };
    // An object that is not there any more has nothing to delete.
    if (!seen) return { ...nothing, outcome: "unchanged", etag: undefined };
    const query = { dryRun: true };
    await client.call({ method: "DELETE", path, query, ...headersAsSeen(seen) });
    return { ...nothing, outcome: "deleted", etag: seen.etag };
  }
  const sent = isManifest(wanted.body)
    ? wanted.body
    : keepingUnsaid(wanted.unsaid, wanted.body, seen?.body);
  const { body: answer } = await client.call<Body>({
    method: "PUT",
    path,
    query: { dryRun: true },
    body: sent,
    ...headersAsSeen(seen),
  });
  const { dryRun: _, warnings, ...stands } = answer;
  const body = keepingUnsaid(wanted.unsaid, stands, seen?.body);
  const isNew = seen?.etag === undefined;
  const changed = isNew ? [] : changesOf(seen.body, body);
  return {
    wanted,
    outcome: isNew ? "created" : changed.length === 0 ? "unchanged" : "configured",
    body,
    changed,
    left: leftOf(wanted, seen?.body),
    warnings: detailsOf({ warnings }),
    etag: seen?.etag,
    job: jobOf(answer),
  };
}

/** Reads the current object. */
async function current(
  client: PlatClient,
  { kind, name, body }: WantedObject,
): Promise<Before | undefined> {
  const path = pathOfObject(kind, name);
  return body ? beforePut(client, path) : found(client.call<Body>({ method: "GET", path }));
}

/**
 * Reads an object that a PUT is to change; nothing if there is none. A pool whose creation was interrupted has no etag here: creating it
 * again completes it.
 */
export async function beforePut(client: PlatClient, path: Path): Promise<Before | undefined> {
  const seen = await found(client.call<Body>({ method: "GET", path }));
  return seen?.body.state === "pending" ? { ...seen, etag: undefined } : seen;
}

/**
 * Makes a change after its dry run, unless there is nothing to change. After a concurrent change it tries again, so
 * that the last apply wins, as with kubectl.
 */
export async function make(client: PlatClient, answer: ObjectChange): Promise<ObjectChange> {
  let change = answer;
  for (let tries = 1; change.outcome !== "unchanged"; tries++) {
    const { wanted, body } = change;
    const path = pathOfObject(wanted.kind, wanted.name);
    try {
      const made = await client.call<Body>({
        ...(wanted.body ? { method: "PUT", body } : { method: "DELETE" }),
        path,
        ...headersAsSeen(change),
      });
      return { ...change, warnings: detailsOf(made.body), job: jobOf(made.body) };
    } catch (error) {
      if (!isOvertaken(error) || tries === TRIES_MAX) throw error;
      change = await dryRun(client, wanted);
    }
  }
  return change;
}

/** Returns the precondition of a write as headers, for a path that no operation has a name for. */
export const headersAsSeen = (seen: Seen) => ({
  headers: seen?.etag === undefined ? { "If-None-Match": "*" } : { "If-Match": seen.etag },
});

/** Returns the warnings in the answer to a write as sentences. */
export const detailsOf = ({ warnings = [] }: { readonly warnings?: unknown }): readonly string[] =>
  (warnings as readonly { readonly detail: string }[]).map(({ detail }) => detail);

/** Prints the API's warnings on stderr. */
export function warn(io: Io, warnings: readonly string[]): void {
  for (const warning of warnings) io.err(`Warning: ${warning}\n`);
}

/** Returns the id of the job in an answer. That of a deletion has the whole job. */
function jobOf({ job }: Body): string | undefined {
  const id = isRecord(job) ? job.id : job;
  return typeof id === "string" ? id : undefined;
}

const isOvertaken = (error: unknown) =>
  isRejection(error, "precondition_failed") || isRejection(error, "precondition_required");

/** Returns the fields that `apply` leaves, but for those whose value a new object of the same manifest would have. */
function leftOf({ unsaid, body = {} }: WantedObject, seen: Body = {}): readonly FieldLeft[] {
  const usual = body as Body;
  return unsaid
    .filter((field) => seen[field] !== undefined && !isDeepStrictEqual(seen[field], usual[field]))
    .map((field) => ({ field, value: seen[field] }));
}

const changesOf = (before: Body, after: Body): readonly FieldChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !UNSET.has(field) && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
