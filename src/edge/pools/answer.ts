import type { Written } from "../../allocator/admin/written.ts";
import { poolNetwork } from "../../contract/schema/pool-network.ts";
import { setAnswer } from "../../contract/schema/pool-ranges.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { deleteJobId, shrinkJobId } from "../../domain/job.ts";
import { assignsPrefixes, type Pool, type PoolSpec } from "../../domain/pool.ts";
import type { Answer } from "../http/event.ts";
import { namedList } from "../http/named-list.ts";
import { type DryRun, etagOf, type Ignoring, ignored, written } from "../http/write-answer.ts";

export function poolAnswer(pool: Pool): Answer {
  return { status: 200, headers: etagOf(pool), body: bodyOf(pool) };
}

export const poolPutAnswer = (
  { value, ...result }: Written<Pool>,
  _requestId: string,
  request: DryRun & Ignoring,
): Answer =>
  written({ ...result, value }, request, { ...bodyOf(value), ...ignored(request) }, value.revision);

export const poolList = namedList<Pool>("pools", (pool) => bodyOf(pool));

/** The field of a network that a pool of prefixes has. */
const labelsOf = ({ labels }: PoolSpec) => ({ ...(labels && { labels }) });

/** Leaves out the pool's id, and its state unless the pool serves no requests because of it. */
const bodyOf = (pool: Pool) => ({
  name: pool.name,
  ...fieldsOf(pool),
  ...(pool.state !== "active" && { state: pool.state }),
  ...(pool.retiring && { job: shrinkJobId(pool.id) }),
  ...(pool.state === "deleting" && { job: deleteJobId(pool.id) }),
});

/** Returns the fields of a pool that operators set, as answers write them and as a PUT takes them. */
export const fieldsOf = (pool: PoolSpec) => ({
  cidr: formatCidr(pool.cidr),
  assign: pool.assign ?? "addresses",
  ...(pool.parent !== undefined && { parent: pool.parent }),
  blockSize: pool.blockSize,
  disabled: pool.disabled,
  assignmentMode: pool.assignmentMode,
  ...(!assignsPrefixes(pool) && { allowedUses: pool.allowedUses, borrowing: pool.borrowing }),
  ...setAnswer(pool),
  ...(assignsPrefixes(pool) ? labelsOf(pool) : poolNetwork(pool)),
  ...(pool.nodeSelector && { nodeSelector: pool.nodeSelector.text }),
  ...(pool.namespaceSelector && { namespaceSelector: pool.namespaceSelector.text }),
  ...(pool.podSelector && { podSelector: pool.podSelector.text }),
  ...(pool.nodeNames && { nodeNames: pool.nodeNames }),
  ...(pool.namespaceNames && { namespaceNames: pool.namespaceNames }),
  ...(pool.networks && { networks: pool.networks }),
  ...(pool.principals && { principals: pool.principals }),
  ...(pool.cooldownSeconds !== undefined && { cooldownSeconds: pool.cooldownSeconds }),
  ...(pool.routing && { routing: pool.routing }),
});
