import type { PlatClient } from "../client/index.ts";
import type { KubeApi } from "./kube/api.ts";
import type { Waits } from "./kube/waits.ts";
import type { Metrics } from "./metrics.ts";

/** All that a part of the controller works with. It makes these calls of Plat and no others. */
export interface PartSurroundings<Calls extends keyof PlatClient> {
  readonly plat: Pick<PlatClient, Calls>;
  readonly api: KubeApi;
  readonly waits: Waits;
  readonly metrics: Metrics;
  readonly log: (message: string, about?: Readonly<Record<string, unknown>>) => void;
}
