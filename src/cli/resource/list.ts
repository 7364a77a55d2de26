import { type PlatClient, pagesOf } from "../../client/index.ts";
import { type CommandError, capital, rejection } from "../shell/exit.ts";
import { type Kind, listPath } from "./kind.ts";

type Listing = Pick<Kind, "plural"> & Partial<Pick<Kind, "perPage">>;

/** Lists all resources of a kind in the space, up to the last page. Errors: one of them cannot be read. */
export async function listAll<Body>(client: PlatClient, kind: Listing): Promise<readonly Body[]> {
  const { bodies, unread } = await listKnown<Body>(client, kind);
  if (unread) throw unread;
  return bodies;
}

/** Lists as `listAll` does, and also returns the error, to throw or print after the others were shown. */
export async function listKnown<Body>(
  client: PlatClient,
  { plural, perPage }: Listing,
): Promise<{ readonly bodies: readonly Body[]; readonly unread: CommandError | undefined }> {
  const bodies: Body[] = [];
  const unreadable: Unreadable[] = [];
  for await (const page of pagesOf<Page<Body>>(client.call, {
    method: "GET",
    path: listPath({ plural }),
    query: { limit: perPage },
  })) {
    bodies.push(...(page[plural] as readonly Body[]));
    unreadable.push(...(page.unreadable ?? []));
  }
  return { bodies, unread: unreadIn(unreadable) };
}

interface Unreadable {
  readonly reason: string;
}

/** Returns the error that names the unreadable items of a list; nothing without any. */
export function unreadIn(unreadable: readonly Unreadable[]): CommandError | undefined {
  // A list that is read as a whole names its unreadable items on each page.
  const [first, ...others] = new Set(unreadable.map(({ reason }) => `${capital(reason)}.`));
  return first === undefined ? undefined : rejection("unreadable", first, ...others);
}

type Page<Body> = {
  readonly next?: string;
  readonly unreadable?: readonly Unreadable[];
} & { readonly [plural: string]: readonly Body[] | unknown };
