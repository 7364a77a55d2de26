import type { AssignRequest } from "../../../src/allocator/assignment.ts";
import type { HostId } from "../../../src/domain/host.ts";
import type { Cloud } from "../lambda.ts";
import type { Sabotage } from "../scene.ts";

export const SPACE = "default";
/** Whose everything is that nobody else has. */
export const OTHER: HostId = "host:other";

/** A scene, and who asks for an address in it. */
export interface Layout {
  readonly size: string;
  set(
    sabotage?: Sabotage,
  ): Promise<{ readonly cloud: Cloud; readonly requests: readonly AssignRequest[] }>;
}
