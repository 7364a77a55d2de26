/** Paths with a space. Only the path names the space, so that IAM policies can end at a space. */

export const SPACE_DEFAULT = "default";

const ROOT = "/v1/";
const NAMED_ROOT = "/v1/spaces/{space}/";

/** Does what has this path act in a space? All of `/v1` does: in `default` where the path names none. */
export const actsInSpace = (path: string): boolean => path.startsWith(ROOT);

/** The other form of such a path, or of a route's key, which names the space. */
export const inNamedSpace = (route: string): string => route.replace(ROOT, NAMED_ROOT);

/** The form that names no space; functions know their routes by it. */
export const withoutSpace = (route: string): string => route.replace(NAMED_ROOT, ROOT);

/** The path in a space of what has this path without one, such as `/v1/jobs/1`; it stays as it is where no space is named. */
export const pathIn = (space: string | undefined, path: string): string =>
  space === undefined ? path : inNamedSpace(path).replace("{space}", space);
