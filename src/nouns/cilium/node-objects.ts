import type { NodeLife } from "../node/judge-node.ts";
import type { CiliumReport } from "./report.ts";

/** All that clusters say of one name: its Nodes, and its CiliumNodes of each uid. */
export interface NodeObjects extends NodeLife {
  readonly ciliumReports: readonly CiliumReport[];
}
