import type { Address } from "../../domain/address.ts";
import type { Application } from "../../domain/application.ts";
import type { Unfinished } from "../../domain/application-changes.ts";
import type { Written } from "../admin/written.ts";

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
