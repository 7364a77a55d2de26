import { type Labels, NO_LABELS } from "./labels.ts";
import { LABELS_SHOWN_MAX, NAMES_SHOWN_MAX } from "./limits.ts";
import { narrows, type Pool, type PoolSelector } from "./pool.ts";
import type { Requester } from "./requester.ts";
import type { Selector } from "./selector.ts";
import { matches } from "./selector-match.ts";
import type { Unfit } from "./unfit.ts";

/** Returns the condition of a pool that excludes a requester or its network, or nothing if all hold. */
export const excludedBy = (
  pool: Pool,
  requester: Requester,
  network: string | undefined,
): Unfit | undefined =>
  byHost(pool, requester) ??
  byNamespace(pool, requester) ??
  byWorkload(pool, requester) ??
  byNetwork(pool, network);

/**
 * Returns true if the pool serves a host of this name with these labels. A host without labels is evaluated like any
 * other.
 */
export const selectsHost = (
  { nodeNames, nodeSelector }: Pool,
  name: string | undefined,
  labels: Labels | undefined,
): boolean => (nodeNames ? isAmong(nodeNames, name) : isSelected(nodeSelector, labels));

function byHost(pool: Pool, { hostName, host }: Requester): Unfit | undefined {
  if (selectsHost(pool, hostName, host)) return undefined;
  const { nodeNames, nodeSelector } = pool;
  return nodeNames
    ? notListed("node", "host", hostName, { nodeNames })
    : notSelected("node", "host", host, { nodeSelector });
}

/** A missing namespace has no labels, as in Calico. */
function byNamespace(
  { namespaceNames, namespaceSelector }: Pool,
  { namespaceName, namespace }: Requester,
): Unfit | undefined {
  if (namespaceNames)
    return isAmong(namespaceNames, namespaceName)
      ? undefined
      : notListed("namespace", "namespace", namespaceName, { namespaceNames });
  return isSelected(namespaceSelector, namespace)
    ? undefined
    : notSelected("namespace", "namespace", namespace, { namespaceSelector });
}

function byWorkload({ podSelector }: Pool, { workload }: Requester): Unfit | undefined {
  return isSelected(podSelector, workload)
    ? undefined
    : notSelected("pod", "workload", workload, { podSelector });
}

/** A pool without networks passes whatever the network is, and also if it is unknown. */
function byNetwork({ networks }: Pool, network: string | undefined): Unfit | undefined {
  return !networks || isAmong(networks, network)
    ? undefined
    : notListed("network", "network", network, { networks });
}

const isAmong = (names: readonly string[], name: string | undefined): boolean =>
  name !== undefined && names.includes(name);

const isSelected = (by: PoolSelector | undefined, labels: Labels = NO_LABELS): boolean =>
  !narrows(by) || matches(by.selector, labels);

/** The facts about a request that a condition judges. */
type Whom = "host" | "namespace" | "workload" | "network";

/** @param by the list under the name of its field */
function notListed(
  code: Unfit["code"],
  whom: Whom,
  name: string | undefined,
  by: Readonly<Record<string, readonly string[]>>,
): Unfit {
  const [[field, names] = ["", []]] = Object.entries(by);
  const told = names.slice(0, NAMES_SHOWN_MAX).join(", ");
  const more = names.length - NAMES_SHOWN_MAX;
  const nameless = whom === "host" ? "a virtual owner" : `a request without a ${whom}`;
  const asked = name === undefined ? nameless : `${whom} ${cut(name)}`;
  const reason = `does not serve ${asked} (${field} ${told}${more > 0 ? ` and ${more} more` : ""})`;
  return { code, reason };
}

/** @param by the selector under the name of its field */
function notSelected(
  code: Unfit["code"],
  whom: Exclude<Whom, "network">,
  labels: Labels | undefined,
  by: Readonly<Record<string, PoolSelector | undefined>>,
): Unfit {
  const [[field, selector] = ["", undefined]] = Object.entries(by);
  const judged = `${field} ${cut(selector?.text ?? "")}; ${shown(selector, labels, whom)}`;
  return { code, reason: `does not select the ${whom} (${judged})` };
}

/** The reason why there are no labels to match. */
const UNLABELLED = {
  host: "the host is not registered, so it has no labels",
  namespace: "the request names no namespace that is registered, so there are no labels",
  workload: "the request has no labels",
} as const;

/** Returns the labels that a selector asks for, as they are. */
function shown(
  by: PoolSelector | undefined,
  labels: Labels | undefined,
  whom: keyof typeof UNLABELLED,
): string {
  if (!labels) return UNLABELLED[whom];
  const asked = by ? [...new Set(labelsAsked(by.selector))] : [];
  if (asked.length === 0) return `it selects no ${whom}`;
  const told = asked
    .slice(0, LABELS_SHOWN_MAX)
    .map((key) => (Object.hasOwn(labels, key) ? `${cut(key)}=${labels[key]}` : `no ${cut(key)}`));
  const more = asked.length - told.length;
  return `the ${whom} has ${told.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Returns the labels that a selector asks for, with repetitions. */
function labelsAsked(selector: Selector): readonly string[] {
  switch (selector.kind) {
    case "!":
      return labelsAsked(selector.of);
    case "&&":
    case "||":
      return selector.of.flatMap(labelsAsked);
    case "all()":
    case "global()":
      return [];
    default:
      return [selector.label];
  }
}

const TEXT_CHARACTERS_MAX = 200;

/** Cuts a text, because a rejection has a reason for each pool. */
const cut = (text: string): string =>
  text.length <= TEXT_CHARACTERS_MAX
    ? text
    : `${text.slice(0, TEXT_CHARACTERS_MAX).replace(/\p{Cs}$/u, "")}…`;
