import { ADDRESSES_PER_PAGE_MAX, PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { type Answer, found, isPathPart, type PlatClient } from "../../client/index.ts";
import { atOnce } from "./at-once.ts";

/** An address with its owners and attributes. */
export type OwnedAddress = Answer<"readHandle">["addresses"][number];

/** Reads all addresses of a handle. Errors: it has none. */
export async function readHandle(client: PlatClient, handle: string): Promise<OwnedAddress[]> {
  const addresses: OwnedAddress[] = [];
  for await (const page of client.pages.readHandle({ handle, limit: ADDRESSES_PER_PAGE_MAX }))
    addresses.push(...page.addresses);
  return addresses;
}

type HandleList = Pick<Required<Answer<"listHandles">>, "handles" | "unreadable">;

/**
 * Lists the handles that have addresses, in their order, up to the last page.
 *
 * @param each told after each page how many were found
 */
export async function listHandles(
  client: PlatClient,
  prefix: string | undefined,
  each: (found: number) => void,
): Promise<HandleList> {
  const handles: HandleList["handles"] = [];
  const unreadable: HandleList["unreadable"] = [];
  for await (const page of client.pages.listHandles({ prefix, limit: ADDRESSES_PER_PAGE_MAX })) {
    handles.push(...page.handles);
    unreadable.push(...(page.unreadable ?? []));
    each(handles.length);
  }
  return { handles: handles.sort((a, b) => (a.handle < b.handle ? -1 : 1)), unreadable };
}

/** An assignment in a block, which names the handle. The handle has the other properties. */
interface NamedAssignment {
  readonly address: string;
  readonly handle?: string | undefined;
}

/**
 * Reads the owners of assignments, by address. It reads each handle once, some in parallel. It leaves out an address
 * that its handle no longer has, or whose handle no path can contain.
 */
export async function readOwners(
  client: PlatClient,
  assignments: Iterable<NamedAssignment>,
  each: () => void = () => {},
): Promise<ReadonlyMap<string, OwnedAddress>> {
  const named = [...assignments];
  const handles = new Set(named.flatMap(({ handle }) => (handle === undefined ? [] : [handle])));
  const read = await atOnce([...handles], PAGE_READS_AT_ONCE, async (handle) => {
    const addresses = isPathPart(handle) ? await found(readHandle(client, handle)) : [];
    each();
    return addresses ?? [];
  });
  const wanted = new Set(named.map(({ address }) => address));
  return new Map(
    read.flat().flatMap((owned) => (wanted.has(owned.address) ? [[owned.address, owned]] : [])),
  );
}
