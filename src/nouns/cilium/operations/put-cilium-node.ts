import { Rejection } from "../../../base/outcome.ts";
import { same } from "../../../base/same.ts";
import { type PoolRequest, poolsServing } from "../../../kernel/assign/family-requests.ts";
import { requesterOf } from "../../../kernel/assign/requester.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../../../kernel/core/compare-and-swap.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { hostId } from "../../../kernel/values/host.ts";
import { FAMILIES, type Family } from "../../../net/address.ts";
import { type Cidr, formatCidr, intervalOf, overlaps, parseNetwork } from "../../../net/cidr.ts";
import { isLater } from "../../node/judge-node.ts";
import { noneUnread } from "../../pool/configuration.ts";
import { readStated, stateAfter, stateBefore } from "../../prefix/operations/state-ranges.ts";
import { allocatedOf, listedPrefixes } from "../multi-pool.ts";
import type { CiliumMemory, CiliumReport, NodeObjects } from "../report.ts";
import { endCiliumReport, isStillReleasing } from "./end-cilium-report.ts";
import type { CiliumGrant, CiliumKnown, CiliumRequest } from "./mode.ts";
import { MODES } from "./modes.ts";

/**
 * Grants a node what its CiliumNode asks for, and takes back what the node gives back. A repeat answers the same: callers say what
 * stands in their object, and Plat answers what should.
 *
 * @returns the grant; or `node_gone`, `precondition_failed` for an object older than one that was seen, `invalid_request` for another
 *   mode while the node has something, or `request_in_progress`
 */
export function putCiliumNode(
  context: Context,
  request: CiliumRequest,
): Promise<CiliumGrant | Rejection> {
  const mode = MODES[request.mode];
  const { space, node, uid, resourceVersion } = request;
  const { store } = context;
  // The object was read before, so no time passes for what it shows while the request is under way.
  const startedAtMs = context.now();
  return compareAndSwap<CiliumGrant | Rejection>(`the CiliumNode ${node}`, async () => {
    const [first, served] = await awaitAll(
      store.readNodeObjects(space, node),
      servedFamilies(context, request, mode.gives),
    );
    const held = await mode.held(context, request, ofUid(first, uid));
    if (held instanceof Rejection) return answer(held);
    // The report says what is freed before that is free. So what was held before this read, and is given back by the report, was not
    // taken anew in between.
    const objects = await store.readNodeObjects(space, node);
    const report = ofUid(objects, uid);
    if (report?.revision !== ofUid(first, uid)?.revision) return RETRY;
    const rejected = whyRejected(request, objects, report);
    if (rejected) return answer(rejected);
    const other = report && (await finished(context, request, report, held));
    if (other) return other;
    const known: CiliumKnown = {
      report: report?.mode === request.mode ? report : undefined,
      node: objects.report?.uid === uid ? objects.report : undefined,
      served,
    };
    const decision = mode.decide(request, known, held, startedAtMs);
    const written = await remembered(context, request, report, decision);
    if (!written) return RETRY;
    const stating = { space, node, uid, by: "cilium", resourceVersion } as const;
    // What an object of another mode stated is withheld no more.
    const isChanged = report !== undefined && report.mode !== request.mode;
    const stated = mode.stated?.(request) ?? (isChanged ? [] : undefined);
    const seen = stated && (await readStated(context, stating));
    const withheld = stated && (await stateBefore(context, stating, stated, seen));
    const granted = await mode.carryOut(context, request, decision, held);
    if (!granted) return RETRY;
    if (granted instanceof Rejection) return answer(granted);
    if (stated && withheld)
      await stateAfter(context, stating, stated, { given: prefixesOf(granted), withheld });
    const grant = stated ? listing(request, granted, stated) : granted;
    if (grant.taken.length === 0) return answer(grant);
    // A release that came between has not seen what is newly taken.
    const now = ofUid(await store.readNodeObjects(space, node), uid);
    return now?.revision === written.revision ? answer(grant) : RETRY;
  });
}

/** Returns the prefixes in a grant. */
const prefixesOf = ({ ipam }: CiliumGrant): readonly Cidr[] => [
  ...networksOf(ipam.podCIDRs),
  ...listedPrefixes({ ipam, status: {} }).map(({ cidr }) => cidr),
];

/**
 * Returns a grant with all networks that the object lists, also those that could not be granted: pods of the node may use them. What the
 * node holds comes beside them if it is of a family, or in multi-pool of a range, of which the object lists nothing.
 *
 * @param stated the networks that the object lists
 */
function listing(
  { object }: CiliumRequest,
  grant: CiliumGrant,
  stated: readonly Cidr[],
): CiliumGrant {
  if (stated.length === 0) return grant;
  const { podCIDRs, pools } = grant.ipam;
  const families = new Set(stated.map(({ family }) => family));
  const prefixes = networksOf(podCIDRs).filter(({ family }) => !families.has(family));
  const ranges = stated.map(intervalOf);
  // An agent that has a range twice would give an address of it to two pods.
  const ofPools = listedPrefixes({ ipam: grant.ipam, status: {} }).filter(
    ({ cidr }) => !ranges.some((range) => overlaps(range, intervalOf(cidr))),
  );
  return {
    ...grant,
    ipam: {
      ...grant.ipam,
      ...(podCIDRs && {
        podCIDRs: [...stated, ...prefixes].toSorted((a, b) => a.family - b.family).map(formatCidr),
      }),
      ...(pools && {
        pools: { ...pools, allocated: allocatedOf([...listedPrefixes(object), ...ofPools]) },
      }),
    },
  };
}

const networksOf = (texts: readonly string[] = []): readonly Cidr[] =>
  texts.map(parseNetwork).flatMap((read) => (read.ok ? [read.value] : []));

/** Returns the CiliumNode of a uid. */
const ofUid = ({ ciliumReports }: NodeObjects, uid: string): CiliumReport | undefined =>
  ciliumReports.find((report) => report.uid === uid);

function whyRejected(
  { node, uid, resourceVersion }: CiliumRequest,
  { tombstones }: NodeObjects,
  report: CiliumReport | undefined,
): Rejection | undefined {
  if (tombstones.some((tombstone) => tombstone.uid === uid))
    return new Rejection(
      "node_gone",
      `Node ${node} with uid ${uid} has ended, and gets nothing. An event of its Node object with a later version revives it.`,
      { node, uid },
    );
  if (!report || !isLater(report, { resourceVersion })) return undefined;
  return new Rejection(
    "precondition_failed",
    `The CiliumNode ${node} was seen with resourceVersion ${report.resourceVersion}, which is later than ${resourceVersion}. Read it again, and PUT that.`,
    { node, uid, resourceVersion: report.resourceVersion },
  );
}

/**
 * Finishes what an earlier request decided. Returns the step that follows from it; nothing if there was nothing to finish.
 *
 * @param held what the uid has by the mode of the request
 */
async function finished(
  context: Context,
  request: CiliumRequest,
  report: CiliumReport,
  held: unknown,
): Promise<Step<Rejection> | undefined> {
  if (report.isEnding) {
    const { complete } = await endCiliumReport(context, report);
    return complete ? RETRY : answer(isStillReleasing(report));
  }
  const before = MODES[report.mode];
  if (before === MODES[request.mode])
    return (await before.finish(context, request, report, held)) ? RETRY : undefined;
  const has = await before.held(context, { ...request, mode: report.mode }, report);
  if (has instanceof Rejection) return answer(has);
  return before.hasAny(has) ? answer(otherMode(request, report)) : undefined;
}

function otherMode({ mode, node, uid }: CiliumRequest, report: CiliumReport): Rejection {
  const problem = `must be ${report.mode} while the node has something in that mode; DELETE /v1/nodes/${node}/cilium?uid=${uid} releases it`;
  return new Rejection("invalid_request", `?mode ${problem}.`, {
    fields: [{ field: "?mode", value: mode, problem }],
  });
}

/**
 * Writes what the request says and what the mode decided, if anything of it is new.
 *
 * @returns the report as it is then; nothing if another request came between
 */
async function remembered(
  context: Context,
  request: CiliumRequest,
  seen: CiliumReport | undefined,
  { entries, excessSinceMs, excessTimesMs }: CiliumMemory,
): Promise<CiliumReport | undefined> {
  const { assignedBy: _, node: name, ...said } = request;
  const next: CiliumReport = {
    ...said,
    name,
    entries,
    excessSinceMs,
    ...(excessTimesMs && { excessTimesMs }),
    isEnding: false,
    seenAtMs: context.now(),
    revision: fresh(context),
  };
  const { seenAtMs, revision } = seen ?? next;
  if (seen && same({ ...next, seenAtMs, revision }, seen)) return seen;
  const { store } = context;
  const written = await knownOutcome(
    seen ? store.changeCiliumReport("cilium", seen, next) : store.createCiliumReport(next),
  );
  return written.outcome === "done" ? next : undefined;
}

/**
 * Returns the families in which pools give a node addresses, or prefixes.
 *
 * @throws {CorruptItemError} if a pool that cannot be read might serve another one
 */
async function servedFamilies(
  context: Context,
  { space, node, assignedBy }: Pick<CiliumRequest, "space" | "node" | "assignedBy">,
  gives: "addresses" | "prefixes" | "nothing",
): Promise<readonly Family[]> {
  if (gives === "nothing") return [];
  const configuration = await configurationOf(context, space);
  const request: PoolRequest = {
    space,
    host: hostId("host", node),
    wanted: FAMILIES.map((family) => ({ family, count: 1 })),
    pools: [],
    ...(assignedBy !== undefined && { assignedBy }),
    ...(gives === "prefixes" && { prefixes: { stated: [] } }),
  };
  const requester = await requesterOf(context, request, configuration);
  const served = FAMILIES.filter(
    (family) => !(poolsServing(request, configuration, requester, family) instanceof Rejection),
  );
  if (served.length < FAMILIES.length) noneUnread(configuration);
  return served;
}
