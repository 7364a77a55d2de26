import type { Places } from "../../domain/full-block.ts";
import { affinityTypeOf, type HostId, hostName } from "../../domain/host.ts";
import type { Labels } from "../../domain/labels.ts";
import { CONFIGURATION_FRESH_MS, CONFIGURATION_JITTER_MS } from "../../domain/limits.ts";
import { CorruptItemError } from "../../domain/outcome.ts";
import { narrows, type Pool, type SpaceConfiguration, serves } from "../../domain/pool.ts";
import type { Requester } from "../../domain/selection.ts";
import type { Context } from "../core/context.ts";
import { hostCopy, namespaceCopy } from "../core/labels.ts";
import { allOf } from "../core/parallel.ts";
import { mustBeRegistered, namedFor, type PoolRequest } from "./family-requests.ts";

/**
 * Returns the labels by which pools select a request: its own, else cached copies that are as old as one of the configuration may be.
 * It reads only labels that a pool of the space asks for. A request that names its pools or its address is not selected by labels
 * (Calico 1.4).
 */
export async function requesterOf(
  context: Context,
  request: PoolRequest,
  configuration: SpaceConfiguration,
): Promise<Requester> {
  const { space, host, namespace, hostLabels, namespaceLabels } = request;
  const open = configuration.pools.filter(serves).filter(isOpenTo(request));
  const isHostAsked =
    mustBeRegistered(request, configuration) ||
    (!hostLabels && open.some(({ nodeSelector }) => narrows(nodeSelector)));
  const isNamespaceAsked =
    !namespaceLabels && open.some(({ namespaceSelector }) => narrows(namespaceSelector));
  const [ofHost, ofNamespace] = await allOf(
    isHostAsked ? labelsOfHost(context, space, host) : hostLabels,
    isNamespaceAsked && namespace !== undefined
      ? labelsOfNamespace(context, space, namespace)
      : namespaceLabels,
  );
  return { host: ofHost, namespace: ofNamespace };
}

/** Returns a test for pools that select by labels: those of families for which the request names neither pools nor an address. */
function isOpenTo(request: PoolRequest): (pool: Pool) => boolean {
  const { address, wanted } = request;
  const open = wanted.filter(({ family }) => !address && namedFor(request, family).length === 0);
  return ({ cidr }) => open.some(({ family }) => family === cidr.family);
}

/** Reads the places of a host, and caches the labels that come with them. */
export async function placesOfHost(context: Context, space: string, host: HostId): Promise<Places> {
  const read = context.store.readHost(space, host);
  const labels = read.then(({ node }) => {
    if (node instanceof CorruptItemError) throw node;
    return node?.labels;
  });
  context.cache.labels.keep(hostCopy(space, host), labels, freshUntilMs(context));
  return read;
}

/** Reads the labels of a host. A virtual owner is no machine, so it is not registered and has none. */
async function labelsOfHost(context: Context, space: string, host: HostId) {
  if (affinityTypeOf(host) !== "host") return undefined;
  const read = () => context.store.readNode(space, hostName(host));
  return remembered(context, hostCopy(space, host), read);
}

async function labelsOfNamespace(context: Context, space: string, name: string) {
  const read = () => context.store.readNamespace(space, name);
  return remembered(context, namespaceCopy(space, name), read);
}

function remembered(
  context: Context,
  name: string,
  read: () => Promise<{ readonly labels: Labels } | undefined>,
): Promise<Labels | undefined> {
  const { labels } = context.cache;
  const known = labels.of(name, context.now());
  if (known) return known;
  const asked = read().then((found) => found?.labels);
  labels.keep(name, asked, freshUntilMs(context));
  return asked;
}

/** Returns the end of a copy's life: that of a copy of the configuration, because operators get the same promise for both. */
const freshUntilMs = (context: Context): number =>
  context.now() + CONFIGURATION_FRESH_MS + context.random.fraction() * CONFIGURATION_JITTER_MS;
