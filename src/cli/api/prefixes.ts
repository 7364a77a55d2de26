import type * as v from "valibot";
import type {
  prefixAssigned,
  prefixesRead,
  prefixesReleased,
} from "../../contract/answers/answers.ts";
import { ADDRESSES_PER_PAGE_MAX } from "../../domain/limits.ts";
import { CommandError, EXIT } from "../shell/exit.ts";
import { type Client, pages, path } from "./client.ts";

export type PrefixAssigned = v.InferOutput<typeof prefixAssigned>;
type Page = v.InferOutput<typeof prefixesRead>;
export type HeldPrefix = Page["prefixes"][number];

/** Names all prefixes of a handle, or the one that a CIDR is, or both. */
export interface PrefixesNamed {
  readonly handle?: string | undefined;
  readonly cidr?: string | undefined;
}

const PREFIXES = path`/v1/prefixes`;

/** Assigns a prefix, or explains it. A repeat under the same key gets the same one. */
export async function assignPrefix(
  client: Client,
  body: object,
  key: string,
): Promise<PrefixAssigned> {
  const headers = { "Idempotency-Key": key };
  const answer = await client.call<PrefixAssigned>({
    method: "POST",
    path: PREFIXES,
    headers,
    body,
  });
  return answer.body;
}

/** Reads the prefixes of a handle, or one of them. Errors: there are none. */
export async function readPrefixes(client: Client, named: PrefixesNamed): Promise<HeldPrefix[]> {
  const prefixes: HeldPrefix[] = [];
  const query = { ...named, limit: ADDRESSES_PER_PAGE_MAX };
  for await (const page of pages<Page>(client, PREFIXES, query)) prefixes.push(...page.prefixes);
  return prefixes;
}

/** Releases the prefixes of a handle, or one of them, request by request. Errors: a request made no progress, and some are left. */
export async function releasePrefixes(
  client: Client,
  named: { readonly handle: string; readonly cidr?: string | undefined },
): Promise<{ readonly handle: string; readonly released: readonly string[] }> {
  const { handle } = named;
  const released: string[] = [];
  for (;;) {
    const { body } = await client.call<v.InferOutput<typeof prefixesReleased>>({
      method: "POST",
      path: path`/v1/prefixes/release`,
      body: named,
    });
    released.push(...body.released);
    if (body.complete) return { handle, released };
    if (body.released.length === 0) throw stuck(handle, body.unreadable ?? []);
  }
}

const stuck = (handle: string, unreadable: readonly { readonly reason: string }[]): CommandError =>
  new CommandError(
    EXIT.unreachable,
    [
      `Some prefixes of ${handle} are not released. Repeat the command to go on.`,
      ...unreadable.map(({ reason }) => `${reason}.`),
    ].join("\n"),
  );
