import { assertTexts, assertTimes } from "../../base/assertions.ts";
import type { Labels } from "../../net/labels.ts";

/** A host as an operator registered it; the node selectors of pools evaluate its labels. */
export interface Node {
  readonly space: string;
  /** The host's name. Virtual owners are not machines, so they have no nodes. */
  readonly name: string;
  /** Names this registration in the register, so that a later one of the same name is not taken for it. */
  readonly id: string;
  readonly labels: Labels;
  readonly revision: string;
}

/** The part of a node that an operator says. */
export type NodeSpec = Omit<Node, "space" | "name" | "id" | "revision">;

/** Returns the id of a registration of the object of a cluster. It is new each time, so that a late delete misses it. */
export const registrationOf = (uid: string, fresh: string): string => `${uid}/${fresh}`;

/** Returns the uid of the object that registered a node; nothing if an operator did. */
export const uidOfNode = ({ id }: Pick<Node, "id">): string | undefined =>
  id.includes("/") ? id.slice(0, id.indexOf("/")) : undefined;

/** An entry of the register of nodes, which lists go through: written before its node, deleted after it. */
export interface NodeEntry {
  readonly space: string;
  readonly name: string;
  /** The id of the node that it was written for last. */
  readonly id: string;
  readonly atMs: number;
}

/** Checks that a node has its revision, and the id that tells it from a later node of its name. @throws {Error} */
export function assertNode({ space, name, id, revision }: Node): void {
  assertTexts({ space, name, id, revision });
}

/** Checks that an entry has the id of its node. @throws {Error} */
export function assertNodeEntry({ space, name, id, atMs }: NodeEntry): void {
  assertTexts({ space, name, id });
  assertTimes(atMs);
}
