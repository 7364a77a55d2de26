import { JOB_ITEMS_PER_SLICE, SPACE_USE_TOLD_MAX } from "../../../base/limits.ts";
import type { CorruptItemError } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { awaitAll } from "../../../kernel/core/parallel.ts";
import { nameOfApplication } from "../../application/application.ts";
import type { Namespace } from "../../namespace/namespace.ts";
import type { Quota } from "../../quota/quota.ts";
import { listNodes } from "../../registry/operations/nodes.ts";
import type { Reservation } from "../../reservation/reservation.ts";
import type { SpaceUse } from "../space-use.ts";

/** The contents of a space: those that keep it from its deletion, and those that its deletion removes. */
export interface SpaceContents {
  readonly use: SpaceUse;
  /** True if all pools are being deleted. */
  readonly arePoolsGoing: boolean;
  readonly settingsRevision: string | undefined;
  readonly reservations: readonly Reservation[];
  readonly quotas: readonly Quota[];
  /** The first namespaces. */
  readonly namespaces: readonly Namespace[];
}

/**
 * Reads what is in a space, strongly consistent. Blocks, allocations and affinities need no look: each lies in a pool, or holds
 * nothing and goes with the repair run.
 *
 * @throws {CorruptItemError} for an item that cannot be read: it may be anything
 */
export async function readSpaceContents(context: Context, space: string): Promise<SpaceContents> {
  const { store } = context;
  const first = { after: undefined };
  const [configuration, applications, namespaces, nodes, stated] = await awaitAll(
    store.readSpace(space),
    store.listApplications(space, { ...first, limit: TOLD }),
    store.listNamespaces(space, { ...first, limit: JOB_ITEMS_PER_SLICE }),
    firstNodes(context, space),
    store.listStated(space),
  );
  const { pools, unreadablePools, reservations, unreadableReservations } = configuration;
  throwFirst([...unreadablePools, ...unreadableReservations].map((each) => each.unreadable));
  throwFirst([...applications.unreadable, ...namespaces.unreadable]);
  const use: SpaceUse = {
    pools: pools.slice(0, TOLD).map(({ name }) => name),
    applications: applications.items.map(nameOfApplication),
    // A node that is not registered may state networks all the same.
    nodes: [...new Set([...nodes, ...stated.map(({ node }) => node)])].slice(0, TOLD),
  };
  const { settingsRevision, quotas } = configuration;
  const arePoolsGoing = pools.every(({ state }) => state === "deleting");
  return {
    ...{ use, arePoolsGoing, settingsRevision, reservations, quotas },
    namespaces: namespaces.items,
  };
}

/** One more than an answer names tells that there are others. */
const TOLD = SPACE_USE_TOLD_MAX + 1;

/** Returns the names of the first nodes. An entry of the register can be without its node, so the pages go on until one has some. */
async function firstNodes(context: Context, space: string): Promise<readonly string[]> {
  let after: string | undefined;
  do {
    const page = await listNodes(context, { space, after, limit: TOLD });
    throwFirst(page.unreadable);
    if (page.items.length > 0) return page.items.map(({ name }) => name);
    after = page.next;
  } while (after !== undefined);
  return [];
}

function throwFirst([first]: readonly CorruptItemError[]): void {
  if (first) throw first;
}
