import type { CiliumMode } from "../object.ts";
import { clusterPool } from "./cluster-pool.ts";
import { crd } from "./crd.ts";
import { kubernetes } from "./kubernetes.ts";
import type { Mode } from "./mode.ts";
import { multiPool } from "./multi-pool.ts";

/** The modes by their names. A caller passes on what one function of a mode returns to its others, and reads nothing of it. */
export const MODES: Readonly<Record<CiliumMode, Mode<unknown, object>>> = {
  "cluster-pool": clusterPool,
  crd,
  "multi-pool": multiPool,
  kubernetes,
};
