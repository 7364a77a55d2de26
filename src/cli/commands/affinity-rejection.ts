import { rejection } from "../shell/exit.ts";

/** A block that did not get the requested state. */
interface Left {
  readonly cidr: string;
  readonly status: string;
}

const WHY: Readonly<Record<string, string>> = {
  not_owned: "it belongs to another host, or to none",
  block_limit: "the host has as many blocks as it may have",
  quota_exceeded: "a quota allows no more blocks; see `plat quota get`",
  not_empty: "it has assigned addresses",
  contended: "other requests changed it each time; repeat the command",
  unreadable: "it cannot be read; see `plat check`",
};

/**
 * Checks that every block got the requested state.
 *
 * @param done the requested state, such as `claimed`
 * @throws CommandError (rejected) if some did not; the message explains the first of them
 */
export function rejectLeft(left: readonly Left[], done: string): void {
  const [first] = left;
  if (!first) return;
  const { cidr, status } = first;
  const others = left.length > 1 ? ` (and ${left.length - 1} more)` : "";
  throw rejection(status, `Block ${cidr} is not ${done}${others}: ${WHY[status] ?? status}.`);
}
