import type { Labels } from "../net/labels.ts";
import type { Application } from "../nouns/application/application.ts";
import type { DefaultPools } from "../nouns/namespace/namespace.ts";

/** The author of a request as the selection of pools sees it. */
export interface Requester {
  /** The caller, as `namedPrincipal` returns it; absent for Plat itself, and on a server without callers. */
  readonly principal?: string | undefined;
  /** Absent for a virtual owner, which is no machine. */
  readonly hostName?: string | undefined;
  /** The labels of the host; absent if it is not registered. */
  readonly host: Labels | undefined;
  readonly namespaceName?: string | undefined;
  /** The labels of the namespace; absent if it is not registered. */
  readonly namespace: Labels | undefined;
  /** The default pools of the namespace. */
  readonly namespacePools?: DefaultPools | undefined;
  /** The application of the workload; absent if it is not registered, or being deleted. */
  readonly application?: Application | undefined;
  /** The labels of the workload. */
  readonly workload?: Labels | undefined;
}
