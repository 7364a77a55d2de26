import { EVENTS_AT_ONCE, PERCENT_MAX, ZONE_READS_AT_ONCE } from "../../../base/limits.ts";
import { orCorrupt, Rejection } from "../../../base/outcome.ts";
import { BoundedWork } from "../../../kernel/core/bounded-work.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { judgeList, type NodeList } from "../judge-list.ts";
import type { NodeReport } from "../node-report.ts";
import { applyDeleted } from "./apply-node.ts";
import { nodeEntries } from "./node-entries.ts";

/** Nodes that one complete list ends. A repeat goes on. */
const NODES_ENDED_PER_LIST_MAX = 256;
/** Names of missing nodes that a rejected list tells of. */
const TOLD_NAMES_MAX = 10;

/** A complete list of the nodes of a cluster, for a space. */
export interface CompleteList extends NodeList {
  readonly space: string;
}

/** The result of a complete list. All are names of nodes. */
export interface NodesCompleted {
  /** The nodes that are ended now. */
  readonly ended: readonly string[];
  /** The nodes that a later list ends if it lacks them too. */
  readonly missing: readonly string[];
  /** The nodes whose events the cluster should send. */
  readonly send: readonly string[];
  /** False if a repeat of the list would end or mark more. */
  readonly complete: boolean;
}

/**
 * Ends the nodes whose end nobody reported, by a complete list of the cluster's nodes. The first list without a node
 * marks its report. A later list, after the quarantine, ends it as a DELETED event does. Each word of the node removes
 * the mark. If too many nodes are missing at once, nothing changes.
 */
export async function completeNodes(
  context: Context,
  { space, ...list }: CompleteList,
): Promise<NodesCompleted | Rejection> {
  const { store } = context;
  const { settings } = await configurationOf(context, space);
  const reports = await reportsIn(context, space);
  const verdict = judgeList(reports, list, {
    nowMs: context.now(),
    quarantineMs: 1000 * settings.nodeQuarantineSeconds,
    percentMax: settings.goneNodesPercentMax,
  });
  if (!("ended" in verdict)) return tooManyMissing(verdict.missing);
  const work = new BoundedWork(context);
  const ending = verdict.ended.slice(0, NODES_ENDED_PER_LIST_MAX);
  const done = new Set<NodeReport>();
  const each = (nodes: readonly NodeReport[], act: (report: NodeReport) => Promise<boolean>) =>
    inParallel(nodes, EVENTS_AT_ONCE, async (report) => {
      if (!work.mayBegin()) return;
      if (await work.trying(() => act(report))) done.add(report);
    });
  const note = async (report: NodeReport, missing: NodeReport["missing"]) => {
    const { missing: _, ...rest } = report;
    const next = { ...rest, ...(missing && { missing }), revision: fresh(context) };
    // If it is lost, the node has spoken since, which removes the mark.
    await knownOutcome(store.changeReport("missing", report, next));
    return true;
  };
  await each(verdict.back, (report) => note(report, undefined));
  await each(ending, async ({ name, uid, createdAtMs }) => {
    const { resourceVersion, cluster } = list;
    const ended = { uid, resourceVersion, createdAtMs };
    const status = await applyDeleted(context, { space, name, cluster }, ended);
    // A node that has spoken since its report was read is not ended.
    return status === "applied" || status === "freeing";
  });
  await each(verdict.marked, (report) =>
    note(report, { resourceVersion: list.resourceVersion, sinceMs: context.now() }),
  );
  const namesOf = (nodes: readonly NodeReport[]) => nodes.map(({ name }) => name).sort();
  return {
    ended: namesOf(ending.filter((report) => done.has(report))),
    missing: namesOf([...verdict.marked, ...verdict.waiting]),
    send: verdict.unknown,
    complete: work.isWhole && ending.length === verdict.ended.length,
  };
}

/** Returns the reports of all registered nodes. One that cannot be read is left out, and so nothing follows for it. */
async function reportsIn(context: Context, space: string): Promise<readonly NodeReport[]> {
  const entries = await nodeEntries(context, space);
  const lives = await inParallel(entries, ZONE_READS_AT_ONCE, ({ name }) =>
    orCorrupt(context.store.readNodeLife(space, name)),
  );
  return lives.flatMap((life) => ("report" in life && life.report ? [life.report] : []));
}

function tooManyMissing(missing: readonly NodeReport[]): Rejection {
  const names = missing.map(({ name }) => name).sort();
  return new Rejection(
    "too_many_missing",
    `The list lacks ${names.length} of the nodes that the cluster reported, so nothing changed. If they are gone, set goneNodesPercentMax to ${PERCENT_MAX}.`,
    { count: names.length, nodes: names.slice(0, TOLD_NAMES_MAX) },
  );
}
