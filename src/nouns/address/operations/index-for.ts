import { CorruptItemError, orCorrupt, Rejection } from "../../../base/outcome.ts";
import type { Context } from "../../../kernel/core/context.ts";
import {
  hashOfValue,
  type IndexedValue,
  indexedIn,
  isIndexComplete,
} from "../../../kernel/values/index-entry.ts";
import type { SpaceConfiguration } from "../../pool/configuration.ts";
import type { AddressFilter } from "./address-filter.ts";
import type { IndexPosition } from "./addresses-of-value.ts";

/** The index that a search asks for: a complete one, by which it reads, or one that walks are still building. */
type IndexFound =
  | {
      readonly kind: "complete";
      readonly attribute: string;
      readonly value: IndexedValue;
      readonly position: IndexPosition | undefined;
    }
  | { readonly kind: "building"; readonly attribute: string };

interface IndexWanted extends Pick<AddressFilter, "attributes"> {
  readonly space: string;
  readonly position?: object | undefined;
}

/**
 * Returns the index by which a search reads: the first complete one, in the order of the settings, of which it has the attribute. A search
 * that began with blocks goes on with blocks.
 *
 * @returns nothing without an index of its attributes; the rejection of a position in an index that is gone
 */
export async function indexFor(
  { store }: Context,
  configuration: SpaceConfiguration,
  { space, attributes, position }: IndexWanted,
): Promise<IndexFound | Rejection | undefined> {
  if (Object.keys(attributes).length === 0) return undefined;
  const within = isOfIndex(position) ? position : undefined;
  // Without readable settings a search filters as if there were no index.
  const indexes = await orCorrupt(Promise.resolve().then(() => configuration.indexes));
  const known = indexes instanceof CorruptItemError ? [] : indexes;
  const [first, ...others] = indexedIn(known, attributes);
  const walks = first === undefined ? [] : await store.listWalks();
  const attribute = [first, ...others].find((name) =>
    known.some((index) => index.attribute === name && isIndexComplete({ ...index, space }, walks)),
  );
  const value = attribute === undefined ? undefined : attributes[attribute];
  if (attribute !== undefined && value !== undefined) {
    if (position && !within) return undefined;
    const of = { space, attribute, valueHash: hashOfValue(value) };
    return { kind: "complete", attribute, value: of, position: within };
  }
  if (within) return goneIndex();
  return first === undefined ? undefined : { kind: "building", attribute: first };
}

const isOfIndex = (position: object | undefined): position is IndexPosition =>
  position !== undefined && "handleHash" in position;

function goneIndex(): Rejection {
  const problem = "is of an index that was removed meanwhile; begin the search again without it";
  return new Rejection("invalid_request", `?cursor ${problem}.`, {
    fields: [{ field: "?cursor", problem }],
  });
}
