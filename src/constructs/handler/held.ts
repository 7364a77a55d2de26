import { found } from "../../client/index.ts";
import { digestOf, type Properties, Refused, type StackResource, uuidOf } from "./event.ts";
import type { ResourceWanted } from "./kind.ts";

/** The text that begins the handles of resources without one of their own. */
const ROOT = "cfn";
/** The part of a logical id that a handle shows. A logical id has up to 255 characters, as long as a handle may be. */
const SHOWN_CHARACTERS = 100;
/** The maximum of requests of one release. Each works for some seconds. */
const REQUESTS_MAX = 8;

/** Something that a handle has. */
export interface HandleEntry {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** Returns the handle of a resource: its own, or one that no other resource and no other version of it has. */
export function resourceHandleOf(
  properties: Properties,
  owner: StackResource,
  replacing: readonly string[],
): string {
  const shown = owner.resource.slice(0, SHOWN_CHARACTERS);
  const digest = digestOf([owner.resource, versionOf(properties, replacing)]);
  return properties.Handle ?? `${ROOT}/${uuidOf(owner)}/${shown}/${digest}`;
}

/** Returns true if the handle is made for a resource of this stack, so that nobody else uses it. */
export const isMade = (handle: string, owner: StackResource): boolean =>
  handle.startsWith(`${ROOT}/${uuidOf(owner)}/`);

/** Returns all that the pages of a list have; nothing if there is no such handle. */
export async function heldIn<Page, One>(
  pages: AsyncIterable<Page>,
  of: (page: Page) => readonly One[],
): Promise<readonly One[]> {
  const read = async () => {
    const held: One[] = [];
    for await (const page of pages) held.push(...of(page));
    return held;
  };
  return (await found(read())) ?? [];
}

/** Returns the attributes by which Plat and its operators know whose something is. */
export const resourceAttributesOf = (
  { properties, owner }: ResourceWanted,
  replacing: readonly string[],
): Record<string, string> => ({ ...owner, version: versionOf(properties, replacing) });

/** Returns true if something was assigned for the resource, in any version of it. */
export const isOf = (
  { attributes = {} }: HandleEntry,
  { stack, resource }: StackResource,
): boolean => attributes.stack === stack && attributes.resource === resource;

/**
 * Checks that a handle has nothing but what the properties ask for.
 *
 * @throws {Refused} if another resource or another version of this one has the handle
 */
export function checkHeld(
  held: readonly HandleEntry[],
  { name, properties, owner }: ResourceWanted,
  replacing: readonly string[],
): void {
  if (held.some((one) => !isOf(one, owner)))
    throw new Refused(`The handle ${name} is in use by something else. Use another handle.`);
  const version = versionOf(properties, replacing);
  if (held.some(({ attributes }) => attributes?.version !== version))
    throw new Refused(
      `The handle ${name} has what other properties asked for. Change the handle too: a replacement needs its own.`,
    );
}

/**
 * Repeats a release until it is complete.
 *
 * @param release sends one request, and returns true if everything is released
 * @throws {Refused} if it is not complete after `REQUESTS_MAX` requests
 */
export async function untilComplete(release: () => Promise<boolean>): Promise<void> {
  for (let requests = 0; requests < REQUESTS_MAX; requests++) if (await release()) return;
  throw new Refused(`${REQUESTS_MAX} requests did not release everything. Try again.`);
}

/** Returns a text that changes with each property whose change means replacement. */
const versionOf = (properties: Properties, replacing: readonly string[]): string =>
  digestOf(replacing.map((name) => properties[name] ?? null));
