import { OPERATIONS } from "./generated/operations.ts";
import type { Request } from "./request.ts";

/**
 * Returns true if a repeat of the request can do no harm, whatever other callers do between two tries: a read, a
 * request with a key, one that writes nothing, one that the contract or the caller calls repeatable, one that
 * names an assignment or an instance, and a batch of such requests. A write that is conditional on its item is not repeatable. Neither is a release
 * of whatever a handle or a host then has.
 */
export const isRepeatable = ({
  method,
  query,
  headers = {},
  body,
  isRepeatable: said,
}: Request): boolean =>
  said ??
  (method === "GET" ||
    query?.dryRun === true ||
    (body as Named | undefined)?.dryRun === true ||
    "Idempotency-Key" in headers ||
    namesInstance(body) ||
    namesAssignments(body) ||
    isRepeatableBatch(body));

/** Returns true for a request that Plat may carry out in part if it cannot do the rest at the moment. */
export const isRelease = ({ method, path }: Pick<Request, "method" | "path">): boolean =>
  RELEASES.some(
    (one) => method === one.method && (path === one.path || path.startsWith(`${one.path}/`)),
  );

/** The releases of whatever a name has, with the constant start of their paths. */
const RELEASES = [
  OPERATIONS.release,
  OPERATIONS.releasePrefixes,
  { ...OPERATIONS.releaseHandle, path: OPERATIONS.releaseHandle.path.replace("/{handle}", "") },
];

/** Returns true if a body names the uid of an instance: a later instance has its own. */
export const namesInstance = (body: unknown): boolean =>
  (body as Named | undefined)?.workload?.uid !== undefined;

/** Returns true if a release names each assignment by its generation: a later assignment has its own. */
function namesAssignments(body: unknown): boolean {
  const { addresses = [] } = (body ?? {}) as Named;
  return addresses.length > 0 && addresses.every(({ generation }) => generation !== undefined);
}

const isRepeatableBatch = (body: unknown): boolean => {
  const { requests = [] } = (body ?? {}) as Named;
  return requests.length > 0 && requests.every(isRepeatableInBatch);
};

/** Returns true for a request of a batch of which a repeat does no harm. Plat takes no assign without a key into a batch. */
export const isRepeatableInBatch = ({ assign, release }: NamedInBatch): boolean =>
  assign !== undefined || namesAssignments(release);

/** The fields of a request of a batch that this file looks at. */
interface NamedInBatch {
  readonly assign?: unknown;
  readonly release?: unknown;
}

/** The fields of a body that this file looks at. */
interface Named {
  readonly requests?: readonly NamedInBatch[] | undefined;
  readonly dryRun?: unknown;
  readonly addresses?: readonly { readonly generation?: unknown }[] | undefined;
  readonly workload?: { readonly uid?: unknown } | undefined;
}
