import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import type { Cloud, Sabotage } from "../lambda.ts";
import type { NewCloud } from "../scene.ts";

export const SPACE = "default";
/** The host of all blocks of a scene that need no particular host. */
export const OTHER: HostId = "host:other";

/** A scene, and the requests for an address in it. */
export interface Layout {
  readonly size: string;
  /** A fault that breaks a promise to every caller. */
  readonly broken?: Sabotage;
  set(
    newCloud: NewCloud,
  ): Promise<{ readonly cloud: Cloud; readonly requests: readonly AssignRequest[] }>;
}
