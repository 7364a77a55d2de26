import { ADDRESSES_PER_PAGE_MAX } from "../../base/limits.ts";
import type { Answer, PlatClient } from "../../client/index.ts";
import { CommandError, EXIT } from "../shell/exit.ts";

export type HeldPrefix = Answer<"listPrefixes">["prefixes"][number];

/** Names all prefixes of a handle, or the one that a CIDR is, or both. */
export interface PrefixesNamed {
  readonly handle?: string | undefined;
  readonly cidr?: string | undefined;
}

/** Reads the prefixes of a handle, or one of them. Errors: there are none. */
export async function readPrefixes(
  client: PlatClient,
  named: PrefixesNamed,
): Promise<HeldPrefix[]> {
  const prefixes: HeldPrefix[] = [];
  const pages = client.pages.listPrefixes({ ...named, limit: ADDRESSES_PER_PAGE_MAX });
  for await (const page of pages) prefixes.push(...page.prefixes);
  return prefixes;
}

/** Releases the prefixes of a handle, or one of them, request by request. Errors: a request made no progress, and some are left. */
export async function releasePrefixes(
  client: PlatClient,
  named: { readonly handle: string; readonly cidr?: string | undefined },
): Promise<{ readonly handle: string; readonly released: readonly string[] }> {
  const { handle } = named;
  const released: string[] = [];
  for (;;) {
    const { body } = await client.releasePrefixes({ body: named });
    released.push(...body.released);
    if (body.complete) return { handle, released };
    if (body.released.length === 0) throw stuck(handle, body.unreadable ?? []);
  }
}

const stuck = (handle: string, unreadable: readonly { readonly reason: string }[]): CommandError =>
  new CommandError(
    EXIT.unreachable,
    [
      `Some prefixes of ${handle} are not released. Repeat the command to continue.`,
      ...unreadable.map(({ reason }) => `${reason}.`),
    ].join("\n"),
  );
