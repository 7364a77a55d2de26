import type * as v from "valibot";
import type { NamedAddress } from "../../allocator/allocations/identify-address.ts";
import type { Released } from "../../allocator/release/close-allocations.ts";
import type { ReleaseResult } from "../../allocator/release/release-address.ts";
import type { AddressesReleased } from "../../allocator/release/release-addresses.ts";
import { type entrySchema, releaseBody } from "../../contract/requests/release.ts";
import { invalid, Problem } from "../../contract/schema/problem.ts";
import { checked, cut, shortened } from "../../contract/schema/schema.ts";
import { parseGeneration } from "../../domain/generation.ts";
import { type HostId, hostId } from "../../domain/host.ts";
import { parsePlainAddress } from "../../domain/plain-form.ts";
import { readJson } from "../http/body.ts";
import type { Answer, Event } from "../http/event.ts";
import { hostBody } from "../http/host.ts";
import { readHandlePath, readSpace } from "../http/parameters.ts";
import { unreadableBody } from "../http/unreadable.ts";

/** A release of single addresses, of a handle, or of a host. */
export type ReleaseRequest =
  | { readonly space: string; readonly host: HostId }
  | { readonly space: string; readonly handle: string }
  | { readonly space: string; readonly entries: readonly ReleaseEntry[] };

/** An address to release, or the result of an invalid entry, which must not affect the others. */
type ReleaseEntry = NamedAddress | ReleaseResult;

export function readRelease(event: Event): ReleaseRequest | Problem {
  const keyed = rejectKey(event);
  if (keyed) return keyed;
  const json = readJson(event);
  if (json instanceof Problem) return json;
  const input = checked(releaseBody, json.value);
  if (input instanceof Problem) return input;
  const space = readSpace(event);
  if (space instanceof Problem) return space;
  const { handle, host, affinityType, addresses } = input;
  const named = [
    ...(handle === undefined ? [] : [{ field: "handle", value: handle }]),
    ...(host === undefined ? [] : [{ field: "host", value: host }]),
    ...(addresses ? [{ field: "addresses" }] : []),
  ];
  const [one, other] = named;
  if (!one)
    return invalid({ field: "addresses", problem: "is required, or handle or host in its place" });
  if (other) return invalid({ ...one, problem: `excludes ${other.field}; send one of them` });
  if (affinityType !== undefined && host === undefined)
    return invalid({ field: "affinityType", value: affinityType, problem: "needs a host" });
  if (handle !== undefined) return { space, handle };
  if (host !== undefined) return { space, host: hostId(affinityType ?? "host", host) };
  return { space, entries: (addresses ?? []).map(readEntry) };
}

/** Reads a release of the handle in the path. */
export function readHandleRelease(event: Event): ReleaseRequest | Problem {
  return rejectKey(event) ?? readHandlePath(event);
}

/** Rejects an Idempotency-Key. A release by handle cannot honour it, and a release by generation does not need it. */
function rejectKey({ headers }: Event): Problem | undefined {
  const value = headers["idempotency-key"];
  if (value === undefined) return undefined;
  return invalid({
    field: "Idempotency-Key",
    value: shortened(value),
    problem:
      "is not supported by a release: name each address with its generation, so that a repeat frees nothing else",
  });
}

export function releaseAnswer(
  result: AddressesReleased | Released,
  requestId: string,
  request: ReleaseRequest,
): Answer {
  if ("results" in result) return { status: 200, body: { requestId, ...result } };
  const { unreadable, ...done } = result;
  const whose =
    "handle" in request
      ? { handle: request.handle }
      : "host" in request
        ? hostBody(request.host)
        : {};
  return { status: 200, body: { requestId, ...whose, ...done, ...unreadableBody(unreadable) } };
}

function readEntry(entry: v.InferOutput<typeof entrySchema>): ReleaseEntry {
  const address = parsePlainAddress(entry.address);
  if (!address.ok) return unreadable(entry.address, `address ${address.problem}`);
  const generation = entry.generation === undefined ? undefined : parseGeneration(entry.generation);
  if (generation && !generation.ok)
    return unreadable(entry.address, `generation ${generation.problem}`);
  return {
    address: address.value,
    ...(entry.handle !== undefined && { handle: entry.handle }),
    ...(generation && { generation: generation.value }),
  };
}

function unreadable(address: string, problem: string): ReleaseResult {
  return {
    address: cut(address),
    status: "conflict",
    code: "invalid_request",
    detail: `${problem}.`,
  };
}
