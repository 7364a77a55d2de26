import { rejection } from "../shell/exit.ts";

/**
 * Checks that every block became what was asked for.
 *
 * @throws CommandError (refused) some did not; the first of them says why
 */
export function refuse(
  left: readonly { readonly cidr: string; readonly status: string }[],
  what: string,
): void {
  const [first] = left;
  if (!first) return;
  const others = left.length > 1 ? ` (and ${left.length - 1} more)` : "";
  throw rejection(first.status, `${first.cidr} is ${what}${others}.`);
}
