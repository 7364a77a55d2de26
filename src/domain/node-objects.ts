import type { CiliumReport } from "./cilium-report.ts";
import type { NodeLife } from "./judge-node.ts";

/** All that clusters say of one name: its Nodes, and its CiliumNodes of each uid. */
export interface NodeObjects extends NodeLife {
  readonly ciliumReports: readonly CiliumReport[];
}
