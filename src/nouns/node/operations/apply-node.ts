import { same } from "../../../base/same.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { forgetLabels } from "../../../kernel/core/labels.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { hostId } from "../../../kernel/values/host.ts";
import {
  judgeNode,
  type NewTombstone,
  type NodeLife,
  type NodeWord,
  type Verdict,
} from "../judge-node.ts";
import { type Node, registrationOf, uidOfNode } from "../node.ts";
import type { NodeStatement } from "../node-health.ts";
import type { NodeIncarnation, NodeReport } from "../node-report.ts";
import type { Tombstone } from "../tombstone.ts";
import { unregister } from "./unregister.ts";

/**
 * The same for a node that another object replaced, without a DELETED event: twice the time between two reports of a
 * kubelet. So two clusters that share the name by mistake are noticed.
 */
export const NODE_REPLACED_MS = 10 * 60 * 1000;

/** The outcome of a node's event. `freeing`: the node is being ended, and the event must come again. */
export type NodeApplied = Verdict["status"];

/** A node by its name in a space, and the cluster that speaks of it, if its events say that. */
export interface NodeNamed {
  readonly space: string;
  readonly name: string;
  readonly cluster?: string;
}

/** Registers a node as its object says, with its labels, unless the event is stale. */
export const applyStatement = (
  context: Context,
  of: NodeNamed,
  statement: NodeStatement,
): Promise<NodeApplied> =>
  apply(context, of, { ...clusterOf(of.cluster), kind: "stated", ...statement }, statement);

/** Ends a node whose object is gone. It is not registered any more; what it holds is freed after its quarantine. */
export const applyDeleted = (
  context: Context,
  of: NodeNamed,
  ended: NodeIncarnation,
): Promise<NodeApplied> =>
  apply(context, of, { ...clusterOf(of.cluster), kind: "deleted", ...ended });

/** Ends a node whose machine is gone, as `applyDeleted` does. No later event revives it. */
export const applyTerminated = (
  context: Context,
  of: NodeNamed,
  uid: string,
): Promise<NodeApplied> => apply(context, of, { kind: "terminated", uid });

const clusterOf = (cluster: string | undefined) => cluster !== undefined && { cluster };

/**
 * Carries out what the judge says of an event. A lost condition judges anew, so that of two executions at once the one
 * with the later word wins. A repeat of the event finishes what a crash left.
 */
async function apply(
  context: Context,
  of: NodeNamed,
  word: NodeWord,
  statement?: NodeStatement,
): Promise<NodeApplied> {
  const { store } = context;
  return compareAndSwap<NodeApplied>(`the node ${of.name}`, async () => {
    // In this order: what came between the reads changed the report, so the write of the report is lost.
    // A cold function needs the configuration later, and reads it beside.
    const [life] = await awaitAll(
      store.readNodeLife(of.space, of.name),
      configurationOf(context, of.space),
    );
    const node = await store.readNode(of.space, of.name);
    const verdict = judgeNode(life, word);
    for (const ending of verdict.endings)
      if (!(await writeTombstone(context, { space: of.space, name: of.name }, ending)))
        return RETRY;
    if (verdict.revived) {
      const revived = await knownOutcome(store.deleteTombstone("revive", verdict.revived));
      if (revived.outcome === "lost") return RETRY;
    }
    // The report may have come after the read, and before the tombstone that its author had to see.
    const isEndedNow = verdict.endings.length > 0;
    if (isEndedNow && !life.report && (await hasReport(context, of, word))) return RETRY;
    if (!(await unregister(context, of, verdict.leaving, { life, node, isEndedNow }))) return RETRY;
    if (verdict.registers && statement)
      return (await register(context, of, statement, { life, node })) ? answer("applied") : RETRY;
    return answer(verdict.status);
  });
}

async function hasReport({ store }: Context, of: NodeNamed, { uid }: NodeWord): Promise<boolean> {
  return (await store.readNodeLife(of.space, of.name)).report?.uid === uid;
}

/**
 * Writes the report, and then the machine and the labels if one of them changed. The report is marked until then: an author who finds
 * the mark writes both whatever they are, so that the labels of an earlier event that is late get lost.
 *
 * @returns false if another execution came between
 */
async function register(
  context: Context,
  { space, name, cluster }: NodeNamed,
  statement: NodeStatement,
  seen: { readonly life: NodeLife; readonly node: Node | undefined },
): Promise<boolean> {
  const { store } = context;
  const of = { space, name };
  const { report } = seen.life;
  const { uid, labels, machine } = statement;
  const isNode = seen.node !== undefined && uidOfNode(seen.node) === uid;
  const known = report?.uid === uid ? report : undefined;
  const isSame =
    known?.isRegistering === false &&
    known.machine === machine &&
    isNode &&
    same(seen.node?.labels, labels);
  const spoken = { ...of, ...clusterOf(cluster ?? known?.cluster) };
  const next = reportOf(context, spoken, statement, known, !isSame);
  const written = await knownOutcome(
    report ? store.changeReport("status", report, next) : store.createReport(next),
  );
  if (written.outcome === "lost") return false;
  // An end that found no report has not waited for this one, so its tombstone is looked for again.
  if (!report) {
    const { tombstones } = await store.readNodeLife(of.space, of.name);
    if (tombstones.some((tombstone) => tombstone.uid === uid)) return false;
  }
  if (isSame) return true;
  if (machine !== undefined) await store.putMachine({ id: machine, ...of, uid });
  const id = (isNode && seen.node?.id) || registrationOf(uid, fresh(context));
  if (!isNode) await knownOutcome(store.enterNode({ ...of, id, atMs: context.now() }));
  const node: Node = { ...of, id, labels, revision: fresh(context) };
  const put = await knownOutcome(
    seen.node ? store.changeNode(seen.node, node) : store.createNode(node),
  );
  forgetLabels(context, { space: of.space, host: hostId("host", of.name) });
  if (put.outcome === "lost") return false;
  const done: NodeReport = { ...next, isRegistering: false, revision: fresh(context) };
  return (await knownOutcome(store.changeReport("registered", next, done))).outcome === "done";
}

function reportOf(
  context: Context,
  of: NodeNamed,
  { labels: _, taints: __, ...statement }: NodeStatement,
  seen: NodeReport | undefined,
  isRegistering: boolean,
): NodeReport {
  const isSilent = seen?.heartbeat === statement.heartbeat;
  return {
    ...of,
    ...statement,
    seenAtMs: seen && isSilent ? seen.seenAtMs : context.now(),
    isRegistering,
    revision: fresh(context),
  };
}

/**
 * Writes the tombstone of a node, over the one that was seen. From then on the node gets nothing more.
 *
 * @returns false if another execution changed it meanwhile
 */
async function writeTombstone(
  context: Context,
  of: Pick<Tombstone, "space" | "name">,
  { seen, by, isAnew, ...incarnation }: NewTombstone,
): Promise<boolean> {
  const nowMs = context.now();
  const quarantineMs = async () =>
    by === "replaced"
      ? NODE_REPLACED_MS
      : 1000 * (await configurationOf(context, of.space)).settings.nodeQuarantineSeconds;
  const isOpen = seen === undefined || seen.state === "quarantined";
  const times =
    seen && !(isAnew && isOpen)
      ? { sinceMs: seen.sinceMs, dueAtMs: seen.dueAtMs }
      : { sinceMs: seen?.sinceMs ?? nowMs, dueAtMs: nowMs + (await quarantineMs()) };
  const tombstone: Tombstone = {
    ...of,
    ...incarnation,
    by,
    state: seen?.state ?? "quarantined",
    ...times,
    revision: fresh(context),
  };
  const written = await knownOutcome(
    seen
      ? context.store.changeTombstone("gone-over", seen, tombstone)
      : context.store.createTombstone(tombstone),
  );
  return written.outcome === "done";
}
