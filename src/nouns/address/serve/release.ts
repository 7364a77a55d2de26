import type * as v from "valibot";
import { parseBody } from "../../../api/http/body.ts";
import type { AnswerOf, Event } from "../../../api/http/event.ts";
import { hostBody } from "../../../api/http/host.ts";
import { instancePlace } from "../../../api/http/instance-place.ts";
import { parseHandlePath, parseSpace, rejectIdempotencyKey } from "../../../api/http/parameters.ts";
import { unreadableBody } from "../../../api/http/unreadable.ts";
import { handleProblems, workloadOf } from "../../../api/schema/handle.ts";
import { invalid } from "../../../api/schema/problem.ts";
import { cut } from "../../../api/schema/schema.ts";
import type { NamedAddress } from "../../../kernel/allocations/identify-address.ts";
import type { Released } from "../../../kernel/release/bounded-release.ts";
import type { ReleaseResult } from "../../../kernel/release/release-address.ts";
import type { AddressesReleased } from "../../../kernel/release/release-addresses.ts";
import type { InstanceReleased, NamedInstance } from "../../../kernel/release/release-instance.ts";
import { parseGeneration } from "../../../kernel/values/generation.ts";
import { type HostId, hostId } from "../../../kernel/values/host.ts";
import { parsePlainAddress } from "../../../net/plain-form.ts";
import { workloadHandle } from "../../application/workload.ts";
import { type entrySchema, releaseBody } from "../contract/release-request.ts";

/** A release of single addresses, of a handle, of a host, or of an instance of a workload. */
export type ReleaseRequest =
  | { readonly space: string; readonly host: HostId }
  | { readonly space: string; readonly handle: string }
  | { readonly space: string; readonly instance: NamedInstance }
  | AddressRelease;

interface AddressRelease {
  readonly space: string;
  readonly entries: readonly ReleaseEntry[];
  readonly keep: boolean;
}

/** An address to release, or the result of an invalid entry, which must not affect the others. */
type ReleaseEntry = NamedAddress | ReleaseResult;

export function parseRelease(event: Event): ReleaseRequest {
  rejectKey(event);
  const input = parseBody(event, releaseBody);
  const space = parseSpace(event);
  const { handle, host, affinityType, addresses, keep } = input;
  const workload = workloadOf(input);
  const named = [
    ...(handle === undefined ? [] : [{ field: "handle", value: handle }]),
    ...(host === undefined ? [] : [{ field: "host", value: host }]),
    ...(workload ? [{ field: "workload" }] : []),
    ...(addresses ? [{ field: "addresses" }] : []),
  ];
  const [one, other] = named;
  if (!one)
    throw invalid({
      field: "addresses",
      problem: "is required, or handle, host or workload in its place",
    });
  if (other) throw invalid({ ...one, problem: `excludes ${other.field}; send one of them` });
  if (affinityType !== undefined && host === undefined)
    throw invalid({ field: "affinityType", value: affinityType, problem: "needs a host" });
  if (handle !== undefined) return { space, handle };
  if (host !== undefined) return { space, host: hostId(affinityType ?? "host", host) };
  if (workload)
    return { space, instance: { place: instancePlace(space, workload), workload, keep } };
  return { space, entries: (addresses ?? []).map(parseEntry), keep };
}

/** Parses a release of single addresses, and no other. */
export function parseAddressRelease(event: Event): AddressRelease {
  const read = parseRelease(event);
  if ("entries" in read) return read;
  throw invalid({ field: "addresses", problem: "is required" });
}

/** Parses a release of the handle in the path. */
export function parseHandleRelease(event: Event) {
  rejectKey(event);
  const named = parseHandlePath(event);
  const [problem] = handleProblems(named.handle);
  if (problem) throw invalid(problem);
  return named;
}

/** A release by handle cannot honour an Idempotency-Key, and a release by generation does not need it. */
const rejectKey = (event: Event): void =>
  rejectIdempotencyKey(
    event,
    "name each address with its generation, so that a repeat frees nothing else",
  );

export function releaseAnswer(
  result: AddressesReleased | InstanceReleased | Released,
  requestId: string,
  request: ReleaseRequest,
): AnswerOf<"POST /v1/release"> {
  if ("instance" in request) {
    const handle = workloadHandle(request.instance.workload);
    return { status: 200, body: { requestId, handle, ...(result as InstanceReleased) } };
  }
  if ("handle" in request) return handleReleasedAnswer(result as Released, requestId, request);
  if ("host" in request) {
    const { unreadable, ...done } = result as Released;
    const whose = { requestId, ...hostBody(request.host) };
    return { status: 200, body: { ...whose, ...done, ...unreadableBody(unreadable) } };
  }
  return { status: 200, body: { requestId, ...(result as AddressesReleased) } };
}

export function handleReleasedAnswer(
  { unreadable, kept: _, ...done }: Released,
  requestId: string,
  { handle }: { readonly handle: string },
): AnswerOf<"DELETE /v1/handles/{handle+}"> {
  return { status: 200, body: { requestId, handle, ...done, ...unreadableBody(unreadable) } };
}

function parseEntry(entry: v.InferOutput<typeof entrySchema>): ReleaseEntry {
  const [wrongHandle] = handleProblems(entry.handle);
  if (wrongHandle) return unreadable(entry.address, `handle ${wrongHandle.problem}`);
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
