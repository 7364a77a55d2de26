import { usageError } from "../shell/exit.ts";

/** The kinds of objects that an inventory contains completely. A missing object proves something only for these. */
export interface Coverage {
  readonly nodes: boolean;
  /** True if it covers the pods of all namespaces. */
  readonly pods: boolean;
  /** The namespaces whose pods it covers. */
  readonly namespaces: ReadonlySet<string>;
}

const POD_PREFIX = "pods/";

/** Reads `nodes`, `pods` and `pods/NAMESPACE`, one by one or with commas. Errors: anything else. */
export function parseCoverage(texts: readonly string[]): Coverage {
  const parts = texts.flatMap((text) => text.split(",")).map((part) => part.trim());
  const namespaces = parts
    .filter((part) => part.startsWith(POD_PREFIX) && part.length > POD_PREFIX.length)
    .map((part) => part.slice(POD_PREFIX.length));
  const known = ["nodes", "pods", ...namespaces.map((name) => `${POD_PREFIX}${name}`)];
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown !== undefined)
    throw usageError(`--covers has "${unknown}"; it must be nodes, pods or pods/NAMESPACE.`);
  return {
    nodes: parts.includes("nodes"),
    pods: parts.includes("pods"),
    namespaces: new Set(namespaces),
  };
}

export const coversPods = ({ pods, namespaces }: Coverage, namespace: string): boolean =>
  pods || namespaces.has(namespace);

export const coversNothing = ({ nodes, pods, namespaces }: Coverage): boolean =>
  !nodes && !pods && namespaces.size === 0;

/** Formats a coverage. Inverse of `parseCoverage`. */
export const formatCoverage = ({ nodes, pods, namespaces }: Coverage): readonly string[] => [
  ...(nodes ? ["nodes"] : []),
  ...(pods ? ["pods"] : []),
  ...[...namespaces].map((name) => `${POD_PREFIX}${name}`),
];
