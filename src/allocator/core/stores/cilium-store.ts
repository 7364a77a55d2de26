import type { CiliumReport } from "../../../domain/cilium-report.ts";
import type { NodeObjects } from "../../../domain/node-objects.ts";
import type { Outcome } from "../../../domain/outcome.ts";

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
