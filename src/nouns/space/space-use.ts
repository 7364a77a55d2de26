import { SPACE_USE_TOLD_MAX } from "../../base/limits.ts";
import { Rejection } from "../../base/outcome.ts";

/** The things that keep a space from its deletion: the names of the first of each kind. Each has at most one name more than is told. */
export interface SpaceUse {
  readonly pools: readonly string[];
  readonly applications: readonly string[];
  readonly nodes: readonly string[];
}

export const isInUse = (use: SpaceUse): boolean =>
  Object.values(use).some(({ length }) => length > 0);

/**
 * Returns the rejection of the deletion of a space that is not empty.
 *
 * @param arePoolsGoing true if all of its pools are being deleted: the space is empty after them if it has nothing else
 */
export function spaceInUse(
  space: string,
  use: SpaceUse,
  { arePoolsGoing }: { readonly arePoolsGoing: boolean },
): Rejection {
  const isAwaited = arePoolsGoing && !isInUse({ ...use, pools: [] });
  const way = isAwaited
    ? ", being deleted; delete the space after that"
    : "; delete what is in it first";
  const contents = kindsOf(use).map(([kind, names]) => [kind, names.slice(0, SPACE_USE_TOLD_MAX)]);
  return new Rejection("space_in_use", `Space ${space} has ${useText(use)}${way}.`, {
    contents: Object.fromEntries(contents),
    ...(isAwaited && { retryable: true }),
  });
}

/** Returns the kinds with their first names: `pools a, b and others; nodes n1`. */
export const useText = (use: SpaceUse): string =>
  kindsOf(use)
    .map(([kind, names]) => {
      const more = names.length > SPACE_USE_TOLD_MAX ? " and others" : "";
      return `${kind} ${names.slice(0, SPACE_USE_TOLD_MAX).join(", ")}${more}`;
    })
    .join("; ");

const kindsOf = (use: SpaceUse) =>
  (Object.entries(use) as [keyof SpaceUse, readonly string[]][]).filter(
    ([, { length }]) => length > 0,
  );
