import type { Machine } from "../../../base/machine.ts";
import type { Outcome } from "../../../base/outcome.ts";
import type { NodeLife } from "../../../nouns/node/judge-node.ts";
import type { NodeReport, SignOfLife } from "../../../nouns/node/node-report.ts";
import type { StatedNamed, StatedRanges } from "../../../nouns/node/stated-ranges.ts";
import type { DueTombstone, Tombstone, TombstoneNamed } from "../../../nouns/node/tombstone.ts";

/** Reads and writes what clusters say of nodes: reports, signs of life, tombstones, machines and stated networks. */
export interface NodeStore {
  readNodeLife(
    space: string,
    name: string,
  ): Promise<NodeLife & { readonly signOfLife: SignOfLife | undefined }>;
  createReport(report: NodeReport): Promise<Outcome<NodeReport>>;
  changeReport(step: string, seen: NodeReport, next: NodeReport): Promise<Outcome<NodeReport>>;
  deleteReport(seen: NodeReport): Promise<Outcome<unknown>>;
  readSignOfLife(space: string, name: string): Promise<SignOfLife | undefined>;
  putSignOfLife(sign: SignOfLife): Promise<void>;
  deleteSignOfLife(seen: SignOfLife): Promise<void>;
  readTombstone(of: TombstoneNamed): Promise<Tombstone | undefined>;
  createTombstone(tombstone: Tombstone): Promise<Outcome<Tombstone>>;
  changeTombstone(step: string, seen: Tombstone, next: Tombstone): Promise<Outcome<Tombstone>>;
  deleteTombstone(step: string, seen: Tombstone): Promise<Outcome<unknown>>;

  /** Lists the tombstones of a shard's spaces that are due, the earliest first. The index only suggests. */
  dueTombstones(
    shard: number,
    page: { readonly untilMs: number; readonly limit: number },
  ): Promise<readonly DueTombstone[]>;

  /** Lists the nodes that ran on a machine, of all spaces. */
  listMachine(id: string): Promise<readonly Machine[]>;
  putMachine(machine: Machine): Promise<void>;
  deleteMachine(machine: Machine): Promise<void>;

  /** Lists what all nodes of a space state, or one incarnation of a node. */
  listStated(
    space: string,
    of?: Pick<StatedNamed, "node" | "uid">,
  ): Promise<readonly StatedRanges[]>;
  createStated(next: StatedRanges): Promise<Outcome<StatedRanges>>;
  changeStated(seen: StatedRanges, next: StatedRanges): Promise<Outcome<StatedRanges>>;
  deleteStated(seen: StatedRanges): Promise<Outcome<unknown>>;
}
