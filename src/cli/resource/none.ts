import type { Session } from "../invocation/cli.ts";
import { rejection } from "../shell/exit.ts";

/**
 * Notes on stderr that a list is empty. A mistyped space looks like an empty one, so a space without pools is an error.
 *
 * @param what the plural of the listed objects
 * @throws CommandError (rejected) if the space has no pools
 */
export async function checkNotEmpty(
  { io, client }: Pick<Session, "io" | "client">,
  list: readonly unknown[],
  what: string,
): Promise<void> {
  if (list.length > 0) return;
  const { body } = await client.listPools({ limit: 1 });
  if (body.pools.length > 0) return io.err(`Note: no ${what} found in space "${client.space}".\n`);
  throw rejection(
    "no_pools",
    `Space "${client.space}" has no pools${what === "pools" ? "" : ` and no ${what}`}.`,
    "Create a pool with `plat pool create NAME --cidr CIDR`, or name another space with --space.",
  );
}
