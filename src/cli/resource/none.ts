import type { Session } from "../invocation/cli.ts";
import { rejectionError } from "../shell/exit.ts";
import { type KnownList, rejectUnread } from "../space/lists.ts";

type Reading = Pick<Session, "io" | "client">;

/**
 * Notes on stderr that a list is empty. A mistyped space looks like an empty one, so the note says if the space has no pools.
 *
 * @param what the plural of the listed objects
 */
export async function noteIfEmpty(
  session: Reading,
  list: readonly unknown[],
  what: string,
): Promise<void> {
  if (list.length > 0) return;
  const { io, client } = session;
  io.err(
    (await hasPools(session))
      ? `Note: no ${what} found in space "${client.space}".\n`
      : `Note: ${noPoolsAnd(session, what)}\n  ${ADVICE}\n`,
  );
}

/** Ends a list that was printed, as `noteIfEmpty` does. Errors: an item of it cannot be read. */
export async function endList(
  session: Reading,
  { items, unreadable }: KnownList<unknown>,
  what: string,
): Promise<void> {
  rejectUnread(unreadable);
  await noteIfEmpty(session, items, what);
}

/**
 * Checks that a space has something to check or to export: nothing would pass for a good result if its name is mistyped.
 *
 * @throws CommandError (rejected) if there is nothing, and the space has no pools
 */
export async function checkNotEmpty(
  session: Reading,
  list: readonly unknown[],
  what: string,
): Promise<void> {
  if (list.length > 0) return;
  if (!(await hasPools(session)))
    throw rejectionError("no_pools", noPoolsAnd(session, what), ADVICE);
  session.io.err(`Note: no ${what} found in space "${session.client.space}".\n`);
}

const hasPools = async ({ client }: Reading): Promise<boolean> =>
  (await client.listPools({ limit: 1 })).body.pools.length > 0;

const noPoolsAnd = ({ client }: Reading, what: string): string =>
  `Space "${client.space}" has no pools${what === "pools" ? "" : ` and no ${what}`}.`;

const ADVICE =
  "Create a pool with `plat pool create NAME --cidr CIDR`, or name another space with --space.";
