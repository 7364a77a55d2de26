import { type Node, uidOfNode } from "../../domain/node.ts";
import { gracesOf, healthOf, type NodeHealth } from "../../domain/node-health.ts";
import type { NodeReport } from "../../domain/node-report.ts";
import type { Rejection } from "../../domain/outcome.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { notFound } from "../core/not-found.ts";
import { allOf } from "../core/parallel.ts";

/** A registered node, and its health if a cluster reports it. */
export interface NodeWithHealth extends Node {
  readonly status?: { readonly report: NodeReport; readonly health: NodeHealth };
}

export async function readNode(
  context: Context,
  space: string,
  name: string,
): Promise<NodeWithHealth | Rejection> {
  const { store, now } = context;
  const [node, life] = await allOf(store.readNode(space, name), store.readNodeLife(space, name));
  if (!node) return notFound(space, "node", name);
  const { report, signOfLife } = life;
  if (!report || report.uid !== uidOfNode(node)) return node;
  const { settings } = await configurationOf(context, space);
  const health = healthOf({ report, signOfLife }, { nowMs: now(), ...gracesOf(settings) });
  return { ...node, status: { report, health } };
}
