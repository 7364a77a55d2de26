import type { Written } from "../../../kernel/core/written.ts";
import type { Address } from "../../../net/address.ts";
import type { Application } from "../application.ts";
import type { Unfinished } from "../changes.ts";

/** The result of a change of an application. */
export interface WrittenApplication extends Written<Application> {
  /** The reason why the change could not go on; absent if it is complete, or if the same request goes on. */
  readonly unfinished?: Unfinished;
}

/** The result of a deletion: the addresses that it let go, and the number of those that are still listed. */
export type DeletedApplication = Written<{
  readonly released: readonly Address[];
  readonly left: number;
}>;
