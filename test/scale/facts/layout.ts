import type { AssignRequest } from "../../../src/allocator/assign/assignment.ts";
import type { HostId } from "../../../src/domain/host.ts";
import type { Cloud, Sabotage } from "../lambda.ts";
import type { NewCloud } from "../scene.ts";

export const SPACE = "default";
/** Whose everything is that nobody else has. */
export const OTHER: HostId = "host:other";

/** A scene, and who asks for an address in it. */
export interface Layout {
  readonly size: string;
  /** What takes away that whoever asks is served, or told the truth. */
  readonly broken?: Sabotage;
  set(
    newCloud: NewCloud,
  ): Promise<{ readonly cloud: Cloud; readonly requests: readonly AssignRequest[] }>;
}
