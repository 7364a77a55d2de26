/** Paths with a space. Only the path names the space, so that IAM policies can end at a space. */

export const SPACE_DEFAULT = "default";

const ROOT = "/v1/";
/** The path of the list of spaces. */
export const SPACES_PATH = "/v1/spaces";
/** The path of the blocks of every space to which nothing leads. */
export const ORPHANS_PATH = "/v1/orphans";
/** The path of a space as a whole. It has no form that leaves the space out. */
export const SPACE_PATH = "/v1/spaces/{space}";
const NAMED_ROOT = `${SPACE_PATH}/`;

/** Returns true if the path acts in a space. All of `/v1` but what is about all spaces does: in `default` if the path names none. */
export const actsInSpace = (path: string): boolean =>
  path.startsWith(ROOT) && !actsInEverySpace(path);

/** Returns true if the path is about all spaces together. */
export const actsInEverySpace = (path: string): boolean =>
  path === SPACES_PATH || path === ORPHANS_PATH;

/** Returns true if the path acts in `default` because it names no space. Such a path has another form, which names one. */
export const leavesSpaceOut = (path: string): boolean =>
  actsInSpace(path) && path !== SPACE_PATH && withoutSpace(path) === path;

/** Returns the other form of such a path, or of a route's key, which names the space. */
export const inNamedSpace = (route: string): string =>
  route.replace(/\/v1\/(?!orphans$|spaces(?:\/[^/]+)?$)/, NAMED_ROOT);

/** Returns the form that names no space; functions know their routes by it. */
export const withoutSpace = (route: string): string => route.replace(NAMED_ROOT, ROOT);

/**
 * Returns the path in a space for a path without one, such as `/v1/jobs/1`; the path stays the same if no space is
 * named.
 */
export const pathIn = (space: string | undefined, path: string): string =>
  space === undefined ? path : inNamedSpace(path).replace("{space}", space);
