import type { Rejection } from "../../../base/outcome.ts";
import { notFound } from "../../../kernel/core/bounded-work.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import { type Node, uidOfNode } from "../node.ts";
import { gracesOf, healthOf, type NodeHealth } from "../node-health.ts";
import type { NodeReport } from "../node-report.ts";

/** A registered node, and its health if a cluster reports it. */
export interface NodeWithHealth extends Node {
  readonly status?: { readonly report: NodeReport; readonly health: NodeHealth };
}

export async function readNode(
  context: Context,
  space: string,
  name: string,
): Promise<NodeWithHealth | Rejection> {
  return (await nodeWithHealth(context, space, name)) ?? notFound(space, "node", name);
}

/**
 * Returns a registered node with its health; nothing if it is not registered.
 *
 * @throws {CorruptItemError} if the node, or what the cluster said of it, cannot be read
 */
export async function nodeWithHealth(
  context: Context,
  space: string,
  name: string,
): Promise<NodeWithHealth | undefined> {
  const { store, now } = context;
  const [node, life] = await awaitAll(store.readNode(space, name), store.readNodeLife(space, name));
  const { report, signOfLife } = life;
  if (!node || !report || report.uid !== uidOfNode(node)) return node;
  const { settings } = await configurationOf(context, space);
  const health = healthOf({ report, signOfLife }, { nowMs: now(), ...gracesOf(settings) });
  return { ...node, status: { report, health } };
}
