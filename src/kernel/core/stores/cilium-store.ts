import type { Outcome } from "../../../base/outcome.ts";
import type { NodeObjects } from "../../../nouns/cilium/node-objects.ts";
import type { CiliumReport } from "../../../nouns/cilium/report.ts";

/** Reads and writes what clusters say of CiliumNodes. */
export interface CiliumStore {
  /** Reads all that clusters say of a node's name, its CiliumNodes too. */
  readNodeObjects(space: string, name: string): Promise<NodeObjects>;
  createCiliumReport(report: CiliumReport): Promise<Outcome<CiliumReport>>;
  changeCiliumReport(
    step: string,
    seen: CiliumReport,
    next: CiliumReport,
  ): Promise<Outcome<CiliumReport>>;
  deleteCiliumReport(step: string, seen: CiliumReport): Promise<Outcome<unknown>>;
}
